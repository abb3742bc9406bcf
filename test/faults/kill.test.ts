import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { idsAreExact } from '../../bench/load/check-ids.ts'
import type { ManagedProcess } from '../../dev/processes/managed-process.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { type FaultyLoad, loadUnderFaults } from './load-and-check.ts'

let stack: Stack
/** The invariants are checked for the whole demo project: these are its rows of former tests. */
let rowsBefore = 0
beforeAll(async () => {
  stack = await startStack({ survivesPowerFailure: false })
})
afterAll(async () => {
  await stack?.stop()
})

/** The load continues until the last victim runs again. */
const steady = { kind: '1k', connections: 32, ratePerSecond: 500 } as const
const killsMax = 5
/** Fewer would mean that hardly anything was sent between the kills. */
const requestsMin = 1_000

/**
 * Every event answered 200 is stored as one row, and issues, rows and outcomes have equal counts.
 */
function expectExact({ load, ids, accounting }: FaultyLoad): void {
  const rows = accounting.rows - rowsBefore
  rowsBefore = accounting.rows
  expect(ids, ids.examples.join(', ')).toMatchObject({ missing: 0, duplicates: 0, foreign: 0 })
  expect(idsAreExact(ids)).toBe(true)
  expect(accounting.faults).toEqual([])
  expect(rows).toBe(ids.stored)
  expect(load.requestsSent).toBeGreaterThan(requestsMin)
}

/** `times(3, one)` is [one, one, one]. */
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)

/** Kills each victim, and waits until it runs again before the next kill. */
async function killInTurn(victims: readonly ManagedProcess[], pauseMs: number): Promise<void> {
  for (const victim of victims) {
    await sleep(pauseMs)
    await victim.kill('SIGKILL')
    await victim.start()
  }
}

test('a worker killed five times under load loses nothing and counts nothing twice', async () => {
  const result = await loadUnderFaults(stack, {
    ...steady,
    faults: () => killInTurn(times(killsMax, stack.services.workers), 900),
  })
  expect(result.load.statuses).toEqual({ '200': result.load.requestsSent })
  expectExact(result)
})

test('a broker killed under load loses nothing that was answered 200', async () => {
  const result = await loadUnderFaults(stack, {
    ...steady,
    faults: () => killInTurn(times(killsMax, stack.engines.nats), 900),
  })
  // 503 is allowed while the broker is unavailable; a broken connection is not.
  expect(Object.keys(result.load.statuses).sort().join()).toMatch(/^200(,503)?$/)
  expect(result.load.broken).toBe(0)
  expectExact(result)
})

test('ingest, both databases and the worker killed in turn: every event answered 200 is stored once', async () => {
  const result = await loadUnderFaults(stack, {
    ...steady,
    faults: () => {
      const { engines, services } = stack
      const victims = [services.ingest, engines.clickhouse, engines.postgres, services.workers]
      return killInTurn(victims, 1_200)
    },
  })
  expect(result.load.statuses['200']).toBeGreaterThan(0)
  expectExact(result)
})
