import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { decidedIds, holdDecision, holdMs, sendAllHeld } from './held-decisions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function decision(id: string, send = vi.fn(() => Promise.resolve())) {
  return { id, send, settled: vi.fn() }
}

test('a decision is sent once its time for undo is over', async () => {
  const one = decision('1')
  const undo = holdDecision(one)
  expect([...decidedIds.value]).toEqual(['1'])
  await vi.advanceTimersByTimeAsync(holdMs - 1)
  expect(one.send).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(one.send).toHaveBeenCalledOnce()
  expect(one.settled).toHaveBeenCalledWith(undefined)
  expect(decidedIds.value.size).toBe(0)
  expect(undo()).toBe(false)
})

test('an undone decision is never sent, and its item is shown again', async () => {
  const one = decision('1')
  expect(holdDecision(one)()).toBe(true)
  expect(decidedIds.value.size).toBe(0)
  await vi.advanceTimersByTimeAsync(10 * holdMs)
  expect(one.send).not.toHaveBeenCalled()
})

test('leaving the page sends what is held, once', async () => {
  const [one, two] = [decision('1'), decision('2')]
  holdDecision(one)
  holdDecision(two)
  await sendAllHeld()
  await vi.advanceTimersByTimeAsync(10 * holdMs)
  expect(one.send).toHaveBeenCalledOnce()
  expect(two.send).toHaveBeenCalledOnce()
})

test('a decision that fails is reported, and its item is shown again', async () => {
  const failure = new Error('A moderator has already decided on this item.')
  const one = decision(
    '1',
    vi.fn(() => Promise.reject(failure)),
  )
  holdDecision(one)
  await vi.advanceTimersByTimeAsync(holdMs)
  expect(one.settled).toHaveBeenCalledWith(failure)
  expect(decidedIds.value.size).toBe(0)
})
