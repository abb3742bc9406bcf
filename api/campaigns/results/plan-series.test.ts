import { expect, test } from 'vitest'
import { fillSeries, planSeries, stepOf } from './plan-series.ts'

const sent = '2026-11-21T10:20:00Z'

// biome-ignore format: the columns are the point
test.each([
  ['the same minute',  '2026-11-21T10:20:30Z', 'hour', '2026-11-21T10:00:00.000Z', 1],
  ['the next hour',    '2026-11-21T11:05:00Z', 'hour', '2026-11-21T10:00:00.000Z', 2],
  ['almost three days','2026-11-24T10:19:59Z', 'hour', '2026-11-21T10:00:00.000Z', 73],
  ['three days',       '2026-11-24T10:20:00Z', 'day',  '2026-11-21T00:00:00.000Z', 4],
  ['ten years',        '2036-11-24T10:20:00Z', 'day',  '2026-11-21T00:00:00.000Z', 400],
  ['a clock behind',   '2026-11-20T10:20:00Z', 'hour', '2026-11-21T10:00:00.000Z', 1],
] as const)('a series after %s', (_name, now, step, since, points) => {
  const plan = planSeries(new Date(sent), new Date(now))
  expect({ ...plan, since: plan?.since.toISOString() }).toMatchObject({ step, since, points })
})

test('nothing before the sending', () => {
  expect(planSeries(null, new Date(sent))).toBeUndefined()
})

test('steps without hits are zero, and steps outside are left out', () => {
  const plan = planSeries(new Date(sent), new Date('2026-11-21T12:00:00Z'))!
  const counted = [
    { step: 0, sent: 7 },
    { step: 1, opens: 3, clicks: 1 },
    { step: 1, unsubscribes: 2 },
    { step: 2, hardBounces: 4, softBounces: 5, complaints: 6 },
    { step: -1, opens: 9 },
    { step: 7, opens: 9 },
  ]
  const none = {
    sent: 0,
    opens: 0,
    clicks: 0,
    unsubscribes: 0,
    hardBounces: 0,
    softBounces: 0,
    complaints: 0,
  }
  expect(fillSeries(plan, counted)).toEqual([
    { ...none, at: '2026-11-21T10:00:00.000Z', sent: 7 },
    { ...none, at: '2026-11-21T11:00:00.000Z', opens: 3, clicks: 1, unsubscribes: 2 },
    { ...none, at: '2026-11-21T12:00:00.000Z', hardBounces: 4, softBounces: 5, complaints: 6 },
  ])
})

test('a time belongs to the step that it is in', () => {
  const plan = planSeries(new Date(sent), new Date('2026-11-21T12:00:00Z'))!
  expect(stepOf(plan, new Date(sent))).toBe(0)
  expect(stepOf(plan, new Date('2026-11-21T10:59:59.999Z'))).toBe(0)
  expect(stepOf(plan, new Date('2026-11-21T11:00:00Z'))).toBe(1)
})
