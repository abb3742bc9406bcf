import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectNats } from '#platform/nats/nats.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'
import { idsAreExact } from '../../bench/load/check-ids.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { loadUnderFaults } from './load-and-check.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ survivesPowerFailure: false })
})
afterAll(async () => {
  await stack?.stop()
})

test('a running worker reads a recreated stream from its beginning', async () => {
  const requests = 1_000
  const once = { kind: '1k', requests, connections: 8, ratePerSecond: 1_000 } as const
  const before = await loadUnderFaults(stack, { ...once, faults: async () => {} })
  expect(before.ids).toMatchObject({ stored: requests, missing: 0, duplicates: 0 })

  const nats = await connectNats(stack.demo.natsUrl, 'test')
  await (await jetstreamManager(nats)).streams.delete(ingestStream)
  await nats.close()

  const after = await loadUnderFaults(stack, { ...once, faults: async () => {} })
  expect(after.load.statuses).toEqual({ '200': requests })
  expect(idsAreExact(after.ids), after.ids.examples.join(', ')).toBe(true)
  expect(after.accounting.faults).toEqual([])
})
