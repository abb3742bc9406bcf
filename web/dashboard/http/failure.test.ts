import { describe, expect, test } from 'vitest'
import { failureOf, refetchIntervalOf } from './failure.ts'
import { Problem } from './problem.ts'

const away = Problem.unreachable(new TypeError('fetch failed'))
const refused = await Problem.of(
  new Response('{"error":"Not found.","code":"not_found"}', { status: 404 }),
)

describe('what a read shows', () => {
  test.each([
    ['a value', { data: 1, error: null, failureReason: null }, undefined],
    ['nothing yet', { data: undefined, error: null, failureReason: null }, undefined],
    [
      'a failed attempt, before the next',
      { data: undefined, error: null, failureReason: away },
      away,
    ],
    [
      'a failed attempt beside an old value',
      { data: 1, error: null, failureReason: away },
      undefined,
    ],
    ['the last attempt', { data: undefined, error: refused, failureReason: refused }, refused],
    [
      'an old value while the server is away',
      { data: 1, error: away, failureReason: away },
      undefined,
    ],
    [
      'what is gone, beside an old value',
      { data: 1, error: refused, failureReason: refused },
      refused,
    ],
  ])('%s', (_name, result, want) => {
    expect(failureOf(result)).toBe(want)
  })
})

describe('when a read is repeated', () => {
  test.each([
    ['after success', null, undefined, false],
    ['after success, of a page that polls', null, 3_000, 3_000],
    ['while the server is away', away, undefined, 10_000],
    ['while the server is away, of a page that polls', away, 3_000, 3_000],
    ['what is refused stays refused', refused, undefined, false],
  ])('%s', (_name, error, everyMs, want) => {
    expect(refetchIntervalOf(everyMs)({ state: { error } } as never)).toBe(want)
  })
})
