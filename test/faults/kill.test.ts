import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { idsAreExact } from '../../bench/check-ids.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { type FaultyLoad, loadUnderFaults } from './load-and-check.ts'

/** A stack for each test: the books are read for the whole demo project. */
let stack: Stack
beforeEach(async () => {
  stack = await startStack()
})
afterEach(async () => {
  await stack?.stop()
})

const requests = 20_000
const killsMax = 5

/** Every 200 is one row, no row is there twice, and issues, rows and outcomes agree to the unit. */
function expectExact({ load, ids, books }: FaultyLoad): void {
  expect(ids, ids.examples.join(', ')).toMatchObject({ missing: 0, duplicates: 0, foreign: 0 })
  expect(idsAreExact(ids)).toBe(true)
  expect(books.faults).toEqual([])
  expect(books.rows).toBe(ids.stored)
  expect(load.requestsSent).toBe(requests)
}

test('a worker killed five times under load loses nothing and counts nothing twice', async () => {
  const result = await loadUnderFaults(stack, {
    kind: '1k',
    requests,
    connections: 32,
    ratePerSecond: 2_000,
    faults: async () => {
      for (let kill = 0; kill < killsMax; kill += 1) {
        await sleep(900)
        await stack.services.workers.kill('SIGKILL')
        await stack.services.workers.start()
      }
    },
  })
  expect(result.load.statuses).toEqual({ '200': requests })
  expectExact(result)
})

test('a broker killed under load loses nothing that was answered 200', async () => {
  const result = await loadUnderFaults(stack, {
    kind: '1k',
    requests,
    connections: 32,
    ratePerSecond: 2_000,
    faults: async () => {
      for (let kill = 0; kill < killsMax; kill += 1) {
        await sleep(900)
        await stack.engines.nats.kill('SIGKILL')
        await stack.engines.nats.start()
      }
    },
  })
  // 503 is allowed while the broker is away, a broken connection is not.
  expect(Object.keys(result.load.statuses).sort().join()).toMatch(/^200(,503)?$/)
  expect(result.load.broken).toBe(0)
  expectExact(result)
})

test('ingest, both databases and the worker killed in turn: what was answered 200 is there once', async () => {
  const result = await loadUnderFaults(stack, {
    kind: '1k',
    requests,
    connections: 32,
    ratePerSecond: 1_500,
    faults: async () => {
      const victims = [
        stack.services.ingest,
        stack.engines.clickhouse,
        stack.engines.postgres,
        stack.services.workers,
      ]
      for (const victim of victims) {
        await sleep(1_200)
        await victim.kill('SIGKILL')
        await victim.start()
      }
    },
  })
  expect(result.load.statuses['200']).toBeGreaterThan(0)
  expectExact(result)
})
