import { expect, test } from 'vitest'
import { tagsSince } from './daily-series.ts'

const dayMs = 86_400_000
const today = 20_000
const nowMs = today * dayMs + 5_000
const series = (...last: readonly number[]) => [...Array(30 - last.length).fill(0), ...last]

test.each([
  ['an issue with many events today', series(60_000), today],
  ['an issue whose limit is reached two days ago', series(30_000, 9_000, 11_000), today - 2],
  ['an issue whose newest days are enough', series(30_000, 40_000, 11_000), today - 1],
  ['an issue with most events before the series', series(2_000, 0, 0), today - 29],
  ['an issue that was quiet', series(100, 0, 0), undefined],
] as const)('tags of %s', (_, daily, day) => {
  expect(tagsSince(daily, nowMs)).toBe(day === undefined ? undefined : day * dayMs)
})
