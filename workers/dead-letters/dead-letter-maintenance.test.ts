import { describe, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { DeadLetterMaintenance } from './dead-letter-maintenance.ts'

function maintenance() {
  const metrics = createWorkerMetrics()
  const state = { nowMs: 0, isOwner: true, counts: 0, rounds: 0, kept: 2 }
  const hold: { publish: () => Promise<number> } = { publish: async () => 0 }
  const care = new DeadLetterMaintenance({
    publisher: {
      publish: () => {
        state.rounds += 1
        return hold.publish()
      },
    },
    count: async () => {
      state.counts += 1
      return new Map([['undigestible', state.kept]])
    },
    isOwner: () => state.isOwner,
    gauge: metrics.deadLetters,
    clock: { nowMs: () => state.nowMs, monotonicMs: () => state.nowMs },
    log: createLogger('test', 'silent'),
  })
  const told = async () =>
    (await metrics.deadLetters.get()).values.map(({ labels, value }) => [labels.reason, value])
  return { care, state, hold, told }
}

describe('The owner of partition 0', () => {
  test('counts dead letters by reason every 30 s, and publishes each time', async () => {
    const { care, state, told } = maintenance()
    await care.tick()
    expect(await told()).toEqual([
      ['undigestible', 2],
      ['unreadable_frame', 0],
    ])
    state.kept = 0
    state.nowMs = 29_999
    await care.tick()
    expect(state).toMatchObject({ counts: 1, rounds: 2 })
    state.nowMs = 30_000
    await care.tick()
    expect(await told()).toEqual([
      ['undigestible', 0],
      ['unreadable_frame', 0],
    ])
  })

  test('runs one round at a time, goes on after a failure, and waits for the round at the end', async () => {
    const { care, state, hold } = maintenance()
    let fail: (error: Error) => void = () => undefined
    hold.publish = () => new Promise((_, reject) => (fail = reject))
    const first = care.tick()
    expect(care.tick()).toBe(first)
    await Promise.resolve()
    let isIdle = false
    const idle = care.idle().then(() => {
      isIdle = true
    })
    while (state.rounds === 0) await Promise.resolve()
    expect(isIdle).toBe(false)
    fail(new Error('the bus is away'))
    await Promise.all([first, idle])
    hold.publish = async () => 1
    await care.tick()
    expect(state.rounds).toBe(2)
  })
})

test('a process without partition 0 reports nothing', async () => {
  const { care, state, told } = maintenance()
  await care.tick()
  state.isOwner = false
  await care.tick()
  expect(await told()).toEqual([])
  expect(state.rounds).toBe(1)
  state.isOwner = true
  await care.tick()
  expect(state.counts).toBe(2)
})
