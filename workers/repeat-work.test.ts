import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeatWork } from './repeat-work.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('work is repeated, also after it failed', async () => {
  const errors: unknown[] = []
  let count = 0
  const work = async () => {
    count += 1
    if (count === 2) throw new Error('the second')
  }
  const repeated = repeatWork(1_000, work, (error) => errors.push(error))
  await vi.advanceTimersByTimeAsync(3_000)
  expect([count, errors.map(String)]).toEqual([3, ['Error: the second']])
  await repeated.stop()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(count).toBe(3)
})

test('a slow run is not overlapped by another, and stopping waits for it', async () => {
  const ends: (() => void)[] = []
  const repeated = repeatWork(
    1_000,
    () => new Promise<void>((resolve) => ends.push(resolve)),
    () => undefined,
  )
  await vi.advanceTimersByTimeAsync(5_000)
  expect(ends).toHaveLength(1)
  let stopped = false
  const stop = repeated.stop().then(() => {
    stopped = true
  })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(stopped).toBe(false)
  ends[0]?.()
  await stop
  expect(stopped).toBe(true)
})
