import { expect, test } from 'vitest'
import { RefreshPause } from './refresh-pause.ts'

test('a busy project is read again every eight seconds, a quiet one after one', () => {
  const pause = new RefreshPause()
  let nowMs = 50_000
  const next = (waitMs: number) => {
    nowMs += waitMs
    const pauseMs = pause.begin(nowMs)
    nowMs += pauseMs
    return pauseMs
  }
  expect([next(0), next(200), next(200), next(200), next(200)]).toEqual([
    1_000, 2_000, 4_000, 8_000, 8_000,
  ])
  expect([next(10_000), next(9_999), next(60_000)]).toEqual([1_000, 2_000, 1_000])
})

test('ten minutes of changes without a pause cost at most 80 refreshes', () => {
  const pause = new RefreshPause()
  let refreshes = 0
  for (let nowMs = 0; nowMs < 600_000; refreshes++) nowMs += pause.begin(nowMs)
  expect(refreshes).toBeLessThanOrEqual(80)
})
