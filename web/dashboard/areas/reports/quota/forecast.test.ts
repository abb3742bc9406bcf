import { expect, test } from 'vitest'
import { forecastLines, quotaState } from './forecast.ts'

const input = {
  periodStart: '2026-11-01T00:00:00.000Z',
  periodEnd: '2026-12-01T00:00:00.000Z',
  nowMs: Date.parse('2026-11-03T12:00:00.000Z'),
  used: 250,
  limit: 1_000,
  days: [
    { at: '2026-10-31T00:00:00.000Z', quantity: 500 },
    { at: '2026-11-01T00:00:00.000Z', quantity: 100 },
    { at: '2026-11-02T00:00:00.000Z', quantity: 100 },
    { at: '2026-11-03T00:00:00.000Z', quantity: 50 },
  ],
  byPeriod: 3_000,
  byLast7Days: 4_000,
}

test('the lines begin with the use so far and end with the period', () => {
  const { times, lines } = forecastLines(input)
  expect(times.slice(0, 5)).toEqual([
    '2026-11-01T00:00:00.000Z',
    '2026-11-02T00:00:00.000Z',
    '2026-11-03T00:00:00.000Z',
    '2026-11-03T12:00:00.000Z',
    '2026-11-04T00:00:00.000Z',
  ])
  expect(times.at(-1)).toBe('2026-12-01T00:00:00.000Z')
  const [used, byPeriod, by7Days, limit] = lines
  expect(used?.values.slice(0, 5)).toEqual([0, 100, 200, 250, null])
  expect(byPeriod?.values.slice(0, 4)).toEqual([null, null, null, 250])
  expect(byPeriod?.values.at(-1)).toBe(3_000)
  expect(by7Days?.values.at(-1)).toBe(4_000)
  expect(new Set(limit?.values)).toEqual(new Set([1_000]))
  for (const { values } of lines) expect(values).toHaveLength(times.length)
})

test('days before the period and days without events do not count', () => {
  const { lines } = forecastLines({ ...input, used: 0, days: [] })
  expect(lines[0]?.values.slice(0, 4)).toEqual([0, 0, 0, 0])
})

test('without a limit and without a week there are two lines', () => {
  const { lines } = forecastLines({ ...input, limit: null, byLast7Days: null })
  expect(lines.map(({ name }) => name)).toEqual(['Used', 'At the rate of the month'])
})

test('at the first moment of a period and at its end', () => {
  const first = forecastLines({ ...input, nowMs: Date.parse(input.periodStart), used: 0 })
  expect(first.lines[0]?.values[0]).toBe(0)
  const last = forecastLines({ ...input, nowMs: Date.parse(input.periodEnd) })
  expect(last.lines[1]?.values.at(-1)).toBe(3_000)
})

test.each([
  [10, null, null, 'unlimited'],
  [10, 100, null, 'fine'],
  [10, 100, '2026-11-20T00:00:00.000Z', 'tight'],
  [80, 100, '2026-11-20T00:00:00.000Z', 'near'],
  [100, 100, '2026-11-03T00:00:00.000Z', 'used'],
  [0, 0, null, 'used'],
] as const)('%d of %s with the limit reached at %s is %s', (used, limit, at, state) => {
  expect(quotaState(used, limit, at)).toBe(state)
})
