import { expect, test } from 'vitest'
import { dailyOf, tagsSince } from './hourly-series.ts'

const hourMs = 3_600_000
const today = 20_000
/** The last hour of today. */
const lastHour = today * 24 + 23
const nowMs = today * 24 * hourMs + 5_000
const series = (...last: readonly number[]) => [...Array(30 * 24 - last.length).fill(0), ...last]

test.each([
  ['an issue with many events in this hour', series(12_000), lastHour],
  ['an issue whose limit is reached two hours ago', series(9, 5_000, 2_000, 3_500), lastHour - 2],
  ['an issue whose newest hours are enough', series(30_000, 8_000, 2_000), lastHour - 1],
  ['an issue with most events before the series', series(2_000, 0, 0), lastHour - 719],
  ['an issue that was quiet', series(100, 0, 0), undefined],
] as const)('tags of %s', (_, hourly, hour) => {
  expect(tagsSince(hourly, nowMs)).toBe(hour === undefined ? undefined : hour * hourMs)
})

test('the days of hours', () => {
  const hourly = series(1, ...Array(23).fill(0), 2, ...Array(22).fill(0), 3)
  expect(dailyOf(hourly)).toEqual([...Array(28).fill(0), 1, 5])
})
