/**
 * Reads the event ids of all frames on the bus while the workers are stopped, to compare them with
 * the answers, and purges the bus for the next round.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { decodeFrame, decodeRecords } from '#schemas/bus/frame.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'

export interface BusRecords {
  /** Ids of all event records, including repetitions. */
  readonly eventIds: readonly string[]
  readonly frames: number
  readonly bytes: number
}

export interface Bus {
  readAll(): Promise<BusRecords>
  purge(): Promise<void>
  close(): Promise<void>
}

export async function openBus(natsUrl: string): Promise<Bus> {
  const nats = await connectNats(natsUrl, 'sluice-bench')
  const manager = await jetstreamManager(nats)
  return {
    readAll: () => readAll(nats),
    async purge() {
      await manager.streams.purge(ingestStream)
    },
    close: () => nats.close(),
  }
}

async function readAll(nats: NatsConnection): Promise<BusRecords> {
  const manager = await jetstreamManager(nats)
  const { state } = await manager.streams.info(ingestStream)
  const eventIds: string[] = []
  let [frames, bytes] = [0, 0]
  if (state.messages === 0) return { eventIds, frames, bytes }

  const consumer = await jetstream(nats).consumers.get(ingestStream)
  const messages = await consumer.consume({ max_messages: 64 })
  for await (const message of messages) {
    frames += 1
    bytes += message.data.length
    for (const record of decodeRecords(decodeFrame(message.data))) {
      if (record.kind === 'event') eventIds.push(record.recordId)
    }
    if (message.seq >= state.last_seq) break
  }
  await messages.close()
  return { eventIds, frames, bytes }
}
