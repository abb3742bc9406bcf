import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextAttemptMs, readRetryAfterMs, retryDelaysMs, retryWindowMs } from './retry-schedule.ts'

const dayMs = 86_400_000

describe('a delivery that always fails', () => {
  const attemptsOf = (id: string) => {
    const at: number[] = [0]
    for (;;) {
      const next = nextAttemptMs({
        id,
        attemptCount: at.length,
        nowMs: at.at(-1)!,
        sinceMs: 0,
        retryAfterMs: undefined,
      })
      if (next === undefined) return at
      at.push(next)
    }
  }

  test('is attempted soon, ever more rarely, and for about three days', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const at = attemptsOf(id)
        const delays = at.slice(1).map((ms, index) => ms - at[index]!)
        for (const [index, delay] of delays.entries()) {
          const planned = retryDelaysMs[Math.min(index, retryDelaysMs.length - 1)]!
          expect(delay).toBeGreaterThanOrEqual(planned)
          expect(delay).toBeLessThanOrEqual(planned * 1.1)
        }
        expect(at.at(-1)).toBeLessThanOrEqual(retryWindowMs)
        expect(at.at(-1)).toBeGreaterThan(2 * dayMs)
        expect(at.length).toBeGreaterThan(10)
        expect(at.length).toBeLessThan(20)
        expect(attemptsOf(id)).toEqual(at)
      }),
      { seed: 2, numRuns: 30 },
    )
  })

  test('is not attempted at the same times as another one', () => {
    expect(attemptsOf('a')).not.toEqual(attemptsOf('b'))
  })
})

test.each([
  ['a short wait does not shorten the delay', 1, 1_000, 5_000],
  ['a long wait lengthens it', 1, 3_600_000, 3_600_000],
] as const)('%s', (_what, attemptCount, retryAfterMs, least) => {
  const next = nextAttemptMs({ id: 'x', attemptCount, nowMs: 0, sinceMs: 0, retryAfterMs })
  expect(next).toBeGreaterThanOrEqual(least)
  expect(next).toBeLessThanOrEqual(least * 1.1)
})

test('a wait beyond the last attempt ends the delivery', () => {
  const late = { id: 'x', attemptCount: 1, sinceMs: 0, nowMs: retryWindowMs - 1_000 }
  expect(nextAttemptMs({ ...late, retryAfterMs: undefined })).toBeUndefined()
})

const nowMs = Date.parse('2026-11-23T08:00:00Z')
test.each([
  ['120', 120_000],
  [' 5 ', 5_000],
  ['0.25', 250],
  ['0', 0],
  ['99999999', dayMs],
  ['Mon, 23 Nov 2026 08:01:00 GMT', 60_000],
  ['Monday, 23-Nov-26 08:01:00 GMT', 60_000],
  ['Mon, 23 Nov 2026 07:00:00 GMT', 0],
  ['Fri, 31 Dec 2100 23:59:59 GMT', dayMs],
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['-5', undefined],
  ['1e9', undefined],
  ['2026', 2_026_000],
  ['Mon, 99 Nov 2026 08:01:00 GMT', undefined],
])('Retry-After: %s', (header, ms) => {
  expect(readRetryAfterMs(header, nowMs)).toBe(ms)
})
