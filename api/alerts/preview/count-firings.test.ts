import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countNotifications,
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
/** Steps of these tests end with an event, which fires. */
const stepsOf = (firings: readonly { atMs: number }[]) => minutesOf(firings).map((end) => end - 1)

const thresholds = (
  given: Threshold,
  {
    cooldownSeconds = 1,
    ...parts
  }: { issueId: string; sinceMs: number; steps: readonly Step[]; cooldownSeconds?: number },
) => thresholdFirings(given, { ...parts, stepMs: minute, cooldownSeconds })

/** Events by minute; users are single characters. */
function steps(
  ...given: readonly (readonly [at: number, events: number, user?: string])[]
): Step[] {
  return given.map(([at, events, user = '']) => ({
    atMs: at * minute,
    lastMs: (at + 1) * minute,
    events,
    user,
  }))
}

describe('thresholds', () => {
  test('more events than the threshold within the window fire', () => {
    const given = { issueId, sinceMs: 0, steps: steps([0, 2], [4, 1], [5, 1], [6, 3], [20, 4]) }
    expect(stepsOf(thresholds(condition(), given))).toEqual([6, 20])
  })

  test('steps before the beginning count, and do not fire', () => {
    const given = { issueId, sinceMs: 3 * minute, steps: steps([0, 9], [3, 1]) }
    const [firing, ...others] = thresholds(condition(), given)
    expect([firing?.atMs, firing?.reason, others]).toEqual([
      4 * minute,
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
    expect(stepsOf(thresholds(users, given))).toEqual([2])
  })

  test('a window is compared with the one before it', () => {
    const relative = condition({ threshold: 50, compared_to: 'previous_window' })
    const given = { issueId, sinceMs: 0, steps: steps([0, 9], [6, 13], [11, 20], [30, 99]) }
    // 13 is not more than 13.5, 20 is more than 19.5, and 99 more than one and a half.
    expect(stepsOf(thresholds(relative, given))).toEqual([11, 30])
  })

  test('with fewer than ten events nothing is compared', () => {
    const relative = condition({ threshold: 50, compared_to: 'previous_window' })
    const given = { issueId, sinceMs: 0, steps: steps([0, 1], [6, 9], [20, 9], [21, 1]) }
    expect(stepsOf(thresholds(relative, given))).toEqual([21])
  })

  test('users are compared in windows that begin at multiples of their length', () => {
    const relative = condition({
      type: 'user_count',
      threshold: 100,
      compared_to: 'previous_window',
    })
    const some = (at: number, first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => [at, 1, `${first + index}`] as const)
    const given = {
      issueId,
      sinceMs: 0,
      steps: steps(...some(1, 1, 6), ...some(6, 7, 12), ...some(7, 13, 18), ...some(8, 19, 19)),
    }
    // Six users before, and then six, twelve and thirteen.
    expect(stepsOf(thresholds(relative, given))).toEqual([8])
  })

  test('the step in which a window begins counts in proportion', () => {
    const given = (lastMs: number) => ({
      issueId,
      sinceMs: minute,
      steps: [...steps([0, 4]), { atMs: 5 * minute, lastMs, events: 2, user: '' }],
    })
    expect(thresholds(condition(), given(5.5 * minute))).toHaveLength(1)
    expect(thresholds(condition(), given(5.9 * minute))).toEqual([])
  })

  test('without a cooldown fire once in each length of the window', () => {
    const given = {
      issueId,
      sinceMs: 0,
      steps: steps([0, 9], [1, 9], [3, 9], [4, 9], [5, 9], [11, 9]),
      cooldownSeconds: 0,
    }
    // The last event of minute 4 is the first moment of the next window.
    expect(stepsOf(thresholds(condition(), given))).toEqual([0, 4, 11])
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
          return { atMs: at * minute, lastMs: (at + 1) * minute, events, user: '' }
        })
        const wanted = [...new Set(given.map(({ atMs }) => atMs))].filter((atMs) => {
          const inside = given.filter((one) => one.atMs <= atMs && one.atMs > atMs - 5 * minute)
          return inside.reduce((sum, one) => sum + one.events, 0) > 3
        })
        const found = thresholds(condition(), { issueId, sinceMs: 0, steps: given })
        expect(found.map(({ atMs }) => atMs - minute)).toEqual(wanted)
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
