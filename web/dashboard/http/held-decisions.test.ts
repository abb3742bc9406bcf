import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toasts } from '../shell/toast-list.ts'
import {
  decidedIds,
  decideWithUndo,
  heldIds,
  holdDecision,
  holdMs,
  sendAllHeld,
  undoHeld,
} from './held-decisions.ts'

beforeEach(() => {
  vi.useFakeTimers()
  decidedIds.value = new Set()
  toasts.value = []
})
afterEach(() => void vi.useRealTimers())

function decision(id: string, send = vi.fn(() => Promise.resolve())) {
  return { id, send, refetch: [] }
}

test('a decision is sent once its time for undo is over; its item stays out of the list', async () => {
  const one = decision('1')
  holdDecision(one)
  expect([...decidedIds.value]).toEqual(['1'])
  await vi.advanceTimersByTimeAsync(holdMs - 1)
  expect(one.send).not.toHaveBeenCalled()
  expect(heldIds.value).toEqual(['1'])
  await vi.advanceTimersByTimeAsync(1)
  expect(one.send).toHaveBeenCalledOnce()
  expect(heldIds.value).toEqual([])
  expect([...decidedIds.value]).toEqual(['1'])
  expect(undoHeld('1')).toBe(false)
})

test('an undone decision is never sent, and its item is shown again', async () => {
  const [one, two] = [decision('1'), decision('2')]
  holdDecision(one)
  holdDecision(two)
  expect(heldIds.value).toEqual(['1', '2'])
  expect(undoHeld('1')).toBe(true)
  expect([...decidedIds.value]).toEqual(['2'])
  await vi.advanceTimersByTimeAsync(10 * holdMs)
  expect(one.send).not.toHaveBeenCalled()
  expect(two.send).toHaveBeenCalledOnce()
})

test('the toast undoes the decision, or says that it is too late', async () => {
  const one = decision('1')
  decideWithUndo(one, 'Approved.')
  const undo = toasts.value[0]?.action?.run
  undo?.()
  expect(decidedIds.value.size).toBe(0)
  undo?.()
  expect(toasts.value.at(-1)?.text).toMatch(/too late/)
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
  const send = vi.fn(() => Promise.reject(failure))
  holdDecision({ ...decision('1', send), title: 'Dark mode' })
  await vi.advanceTimersByTimeAsync(holdMs)
  expect(toasts.value.at(-1)).toMatchObject({
    kind: 'error',
    text: expect.stringContaining('Dark mode'),
  })
  expect(decidedIds.value.size).toBe(0)
})
