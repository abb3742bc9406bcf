import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toasts } from '../shell/toast-list.ts'
import {
  decidedIds,
  decideWithUndo,
  failuresMax,
  heldIds,
  holdDecision,
  holdMs,
  sendAllHeld,
  undoHeld,
} from './held-decisions.ts'
import { Problem } from './problem.ts'

const listeners = new Set<unknown>()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('addEventListener', (_type: string, listener: unknown) => listeners.add(listener))
  vi.stubGlobal('removeEventListener', (_type: string, listener: unknown) =>
    listeners.delete(listener),
  )
  decidedIds.value = new Set()
  toasts.value = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const away = () => Problem.unreachable(new TypeError('fetch failed'))
const minuteMs = 60_000

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

test('a decision is sent again until the server answers; closing the tab asks meanwhile', async () => {
  const send = vi.fn(() =>
    send.mock.calls.length < 4 ? Promise.reject(away()) : Promise.resolve(),
  )
  holdDecision({ ...decision('1', send), title: 'SHOP-12' })
  expect(listeners.size).toBe(0)
  await vi.advanceTimersByTimeAsync(holdMs)
  expect(toasts.value.at(-1)?.text).toMatch(/^SHOP-12: The server cannot be reached/)
  expect([[...decidedIds.value], heldIds.value, listeners.size]).toEqual([['1'], ['1'], 1])
  await vi.advanceTimersByTimeAsync(minuteMs)
  expect(send).toHaveBeenCalledTimes(4)
  expect([[...decidedIds.value], heldIds.value, listeners.size]).toEqual([['1'], [], 0])
  expect(toasts.value).toEqual([])
})

test('a decision that waits for the server can be undone', async () => {
  const send = vi.fn(() => Promise.reject(away()))
  holdDecision(decision('1', send))
  await vi.advanceTimersByTimeAsync(holdMs)
  toasts.value.at(-1)?.action?.run()
  await vi.advanceTimersByTimeAsync(10 * minuteMs)
  expect(send).toHaveBeenCalledOnce()
  expect([decidedIds.value.size, heldIds.value, listeners.size]).toEqual([0, [], 0])
})

test('after the last attempt the item is shown again', async () => {
  const send = vi.fn(() => Promise.reject(away()))
  holdDecision(decision('1', send))
  await vi.advanceTimersByTimeAsync(20 * minuteMs)
  expect(send).toHaveBeenCalledTimes(failuresMax)
  expect([decidedIds.value.size, heldIds.value, listeners.size]).toEqual([0, [], 0])
})
