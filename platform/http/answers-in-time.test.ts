import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answersInTime, probeMsMax } from './answers-in-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['a value', Promise.resolve({ rows: [] }), true],
  ['undefined', Promise.resolve(undefined), true],
  ['false', Promise.resolve(false), false],
])('a probe that resolves to %s', async (_, probe, expected) => {
  expect(await answersInTime(probe)).toBe(expected)
  expect(vi.getTimerCount()).toBe(0)
})

test('a probe that rejects', async () => {
  expect(await answersInTime(Promise.reject(new Error('away')))).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
})

test('a probe that never settles counts as failed after the time limit', async () => {
  const result = answersInTime(new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(probeMsMax)
  expect(await result).toBe(false)
})
