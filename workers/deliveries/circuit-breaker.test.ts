import { expect, test } from 'vitest'
import { openMsAfter } from './circuit-breaker.ts'

test.each([
  [0, 0],
  [4, 0],
  [5, 60_000],
  [6, 120_000],
  [10, 1_920_000],
  [11, 3_600_000],
  [1_000_000, 3_600_000],
])('after %i failures in a row the breaker is open for %i ms', (failures, ms) => {
  expect(openMsAfter(failures)).toBe(ms)
})
