import { expect, test } from 'vitest'
import { rangeIntervalMs } from './range-interval.ts'

test.each([
  [1, 1_000],
  [4, 1_000],
  [5, 1_250],
  [16, 4_000],
  [64, 5_000],
])('with %i partitions, an owner begins a range of each at most every %i ms', (owned, ms) => {
  expect(rangeIntervalMs(owned)).toBe(ms)
})
