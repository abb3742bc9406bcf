import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countNotifications,
  oncePerWindow,
  type Step,
  type Threshold,
  thresholdFirings,
  withCooldown,
} from './count-firings.ts'

const minute = 60_000
const issueId = 'an issue'
const condition = (fields: Partial<Threshold> = {}): Threshold =>
  ({
    type: 'event_count',
    threshold: 3,
    window_seconds: 300,
    compared_to: 'absolute',
    ...fields,
  }) as Threshold

const minutesOf = (firings: readonly { atMs: number }[]) => firings.map(({ atMs }) => atMs / minute)

/** Events by minute; users are single characters. */
function steps(
  ...given: readonly (readonly [at: number, events: number, user?: string])[]
): Step[] {
  return given.map(([at, events, user = '']) => ({ atMs: at * minute, events, user }))
}

describe('thresholds', () => {
  test('more events than the threshold within the window fire', () => {
    const given = { issueId, sinceMs: 0, steps: steps([0, 2], [4, 1], [5, 1], [6, 3], [20, 4]) }
    expect(minutesOf(thresholdFirings(condition(), given))).toEqual([6, 20])
  })

  test('steps before the beginning count, and do not fire', () => {
    const given = { issueId, sinceMs: 3 * minute, steps: steps([0, 9], [3, 1]) }
    const [firing, ...others] = thresholdFirings(condition(), given)
    expect([firing?.atMs, firing?.reason, others]).toEqual([
      3 * minute,
      '10 events in 5 minutes; the limit is 3',
      [],
    ])
  })

  test('users count once, however often they come', () => {
    const users = condition({ type: 'user_count', threshold: 1 })
    const given = {
      issueId,
      sinceMs: 0,
      steps: steps([0, 9, 'a'], [1, 9, 'a'], [2, 1, 'b'], [8, 1, 'b']),
    }
    expect(minutesOf(thresholdFirings(users, given))).toEqual([2])
  })

  test('a window is compared with the one before it', () => {
    const relative = condition({ threshold: 50, compared_to: 'previous_window' })
    const given = { issueId, sinceMs: 0, steps: steps([0, 9], [6, 13], [11, 20], [30, 99]) }
    // 13 is not more than 13.5, 20 is more than 19.5; after nothing, ten are enough.
    expect(minutesOf(thresholdFirings(relative, given))).toEqual([11, 30])
    const few = { issueId, sinceMs: 0, steps: steps([0, 1], [6, 9], [30, 9]) }
    expect(thresholdFirings(relative, few)).toEqual([])
  })

  test('users are compared by windows that begin at multiples of their length', () => {
    const relative = condition({
      type: 'user_count',
      threshold: 50,
      compared_to: 'previous_window',
    })
    const users = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => [from, 1, `${index}`] as const)
    const given = { issueId, sinceMs: 0, steps: steps(...users(4, 8), ...users(5, 12)) }
    expect(minutesOf(thresholdFirings(relative, given))).toEqual([])
    const more = { issueId, sinceMs: 0, steps: steps(...users(4, 8), ...users(5, 13)) }
    expect(minutesOf(thresholdFirings(relative, more))).toEqual([5])
  })

  test('fire once in each length of their window without a cooldown', () => {
    const at = (minutes: number, issue = issueId) => ({
      atMs: minutes * minute,
      issueId: issue,
      reason: '',
    })
    const firings = [at(0), at(4), at(5), at(6), at(6, 'other')]
    expect(minutesOf(oncePerWindow(firings, 300))).toEqual([0, 5, 6])
  })

  test('are those of a sum over all steps', () => {
    const step = fc.record({
      gap: fc.integer({ min: 0, max: 4 }),
      events: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (gaps) => {
        let at = 0
        const given = gaps.map(({ gap, events }): Step => {
          at += gap
          return { atMs: at * minute, events, user: '' }
        })
        const wanted = [...new Set(given.map(({ atMs }) => atMs))].filter((atMs) => {
          const inside = given.filter((one) => one.atMs <= atMs && one.atMs > atMs - 5 * minute)
          return inside.reduce((sum, one) => sum + one.events, 0) > 3
        })
        const found = thresholdFirings(condition(), { issueId, sinceMs: 0, steps: given })
        expect(found.map(({ atMs }) => atMs)).toEqual(wanted)
      }),
      { seed: 7, numRuns: 300 },
    )
  })
})

test('after a firing an issue is silent for the cooldown', () => {
  const at = (minutes: number, issue = issueId) => ({
    atMs: minutes * minute,
    issueId: issue,
    reason: '',
  })
  const firings = [at(40), at(0), at(10), at(5, 'other'), at(30)]
  expect(minutesOf(withCooldown(firings, 1_800))).toEqual([0, 5, 30])
  expect(minutesOf(withCooldown(firings, 0))).toEqual([0, 5, 10, 30, 40])
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing',                         [],                       0],
  ['one at once',                     [0],                      1],
  ['the second waits',                [0, 1],                   2],
  ['all of an interval in one',       [0, 1, 2, 9],             2],
  ['at the end of an interval',       [0, 10],                  2],
  ['a digest begins an interval',     [0, 1, 11, 19],           3],
  ['a storm of an hour',              Array.from({ length: 60 }, (_, index) => index), 7],
  ['far apart',                       [0, 100, 200],            3],
] as const)('notifications: %s', (_name, minutes, count) => {
  const firings = minutes.map((at) => ({ atMs: at * minute, issueId, reason: '' }))
  expect(countNotifications(firings, 600)).toBe(count)
})
