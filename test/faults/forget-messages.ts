/**
 * Makes the broker forget messages that it has acknowledged, as brokers do when a leader dies at the wrong moment or a
 * machine loses its power. The workers stand still meanwhile, or they would have read them already.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connectNats } from '#platform/nats.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'
import type { FaultStack } from './fault-stack.ts'
import { workersNames } from './plan-faults.ts'

/** Time in which ingest publishes and nobody reads. */
const gatherMs = 250

export async function forgetMessages(stack: FaultStack, messagesMax: number): Promise<number> {
  for (const name of workersNames) stack.signal(name, 'SIGSTOP')
  const nats = await connectNats(stack.engines.urls.nats, 'test-forget')
  let forgotten = 0
  try {
    await sleep(gatherMs)
    const manager = await jetstreamManager(nats, { timeout: 2_000 })
    const { state } = await manager.streams.info(ingestStream)
    for (let seq = state.last_seq; forgotten < messagesMax && seq >= state.first_seq; seq -= 1) {
      if (await manager.streams.deleteMessage(ingestStream, seq).catch(() => false)) forgotten += 1
    }
  } finally {
    for (const name of workersNames) stack.signal(name, 'SIGCONT')
    await nats.close()
  }
  return forgotten
}
