/**
 * Makes the broker lose acknowledged messages, as brokers do when a leader fails at the wrong
 * moment or a machine loses power: some messages, the latest ones, or all of them with the stream
 * itself.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connectNats } from '#platform/nats/nats.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'
import type { FaultStack } from '../fault-stack.ts'
import { workersNames } from '../plan-faults.ts'

/** Time in which ingest publishes while the workers are stopped. */
const gatherMs = 250

/**
 * Deletes the latest messages; the broker does not reuse their sequence numbers. The workers are
 * stopped, or they would have read the messages.
 */
export async function forgetMessages(stack: FaultStack, messagesMax: number): Promise<void> {
  for (const name of workersNames) stack.signal(name, 'SIGSTOP')
  try {
    const nats = await connectNats(stack.engines.urls.nats, 'test-forget')
    try {
      await sleep(gatherMs)
      const manager = await jetstreamManager(nats, { timeout: 2_000 })
      const { state } = await manager.streams.info(ingestStream)
      let left = messagesMax
      for (let seq = state.last_seq; left > 0 && seq >= state.first_seq; seq -= 1) {
        if (await manager.streams.deleteMessage(ingestStream, seq).catch(() => false)) left -= 1
      }
    } finally {
      await nats.close()
    }
  } finally {
    for (const name of workersNames) stack.signal(name, 'SIGCONT')
  }
}

/** Restores the store of the broker as it was `forMs` ago, so that sequence numbers are reused. */
export async function rewindBroker(stack: FaultStack, forMs: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-rewind-'))
  try {
    await stack.kill('nats')
    await cp(storeOf(stack), folder, { recursive: true })
    await stack.start('nats')
    await sleep(forMs)
    await stack.kill('nats')
    await rm(storeOf(stack), { recursive: true })
    await cp(folder, storeOf(stack), { recursive: true })
    await stack.start('nats')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function loseStream(stack: FaultStack): Promise<void> {
  await stack.kill('nats')
  await rm(storeOf(stack), { recursive: true })
  await stack.start('nats')
}

function storeOf(stack: FaultStack): string {
  return join(stack.engines.dataDir, 'nats')
}
