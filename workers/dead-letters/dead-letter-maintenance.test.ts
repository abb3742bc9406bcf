import { describe, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { DeadLetterMaintenance } from './dead-letter-maintenance.ts'

function createMaintenance() {
  const metrics = createWorkerMetrics()
  const state = { nowMs: 0, isOwner: true, counts: 0, rounds: 0, kept: 2 }
  const publisher: { publish: () => Promise<number> } = { publish: async () => 0 }
  const maintenance = new DeadLetterMaintenance({
    publisher: {
      publish: () => {
        state.rounds += 1
        return publisher.publish()
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
  const reported = async () =>
    (await metrics.deadLetters.get()).values.map(({ labels, value }) => [labels.reason, value])
  return { maintenance, state, publisher, reported }
}

describe('The owner of partition 0', () => {
  test('counts dead letters by reason every 30 s, and publishes in each round', async () => {
    const { maintenance, state, reported } = createMaintenance()
    await maintenance.run()
    expect(await reported()).toEqual([
      ['undigestible', 2],
      ['unreadable_frame', 0],
    ])
    state.kept = 0
    state.nowMs = 29_999
    await maintenance.run()
    expect(state).toMatchObject({ counts: 1, rounds: 2 })
    state.nowMs = 30_000
    await maintenance.run()
    expect(await reported()).toEqual([
      ['undigestible', 0],
      ['unreadable_frame', 0],
    ])
  })

  test('publishes in the round after one that failed', async () => {
    const { maintenance, state, publisher } = createMaintenance()
    publisher.publish = () => Promise.reject(new Error('NATS is unavailable'))
    await expect(maintenance.run()).rejects.toThrow('NATS is unavailable')
    publisher.publish = async () => 1
    await maintenance.run()
    expect(state.rounds).toBe(2)
  })
})

test('a process without partition 0 reports nothing', async () => {
  const { maintenance, state, reported } = createMaintenance()
  await maintenance.run()
  state.isOwner = false
  await maintenance.run()
  expect(await reported()).toEqual([])
  expect(state.rounds).toBe(1)
  state.isOwner = true
  await maintenance.run()
  expect(state.counts).toBe(2)
})
