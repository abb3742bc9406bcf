/**
 * Publishes the events that Sluice itself creates on the stream, like ingest does: in numbered
 * frames, resent until they are acknowledged. An event leaves the outbox when a commit has digested
 * it. An event that is sent twice is stored once, by its id.
 */
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { v4 as uuidv4 } from 'uuid'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { firstFrameCounter, frameId } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import { lockOutbox, markSent, type OutboxEvent } from './outbox-store.ts'

interface PendingFrame {
  readonly partition: number
  readonly id: string
  readonly bytes: Buffer
  readonly events: readonly OutboxEvent[]
}

const eventsPerRoundMax = 200
const ackTimeoutMs = 5_000

export class OutboxPublisher {
  readonly #pg: Pool
  readonly #jetstream: JetStreamClient
  readonly #layout: IngestLayout
  readonly #installationMark: number
  /** Instance id of this process in frame numbers, like that of an ingest process. */
  readonly #instanceId = uuidv4().replaceAll('-', '')
  readonly #counters = new Map<number, number>()
  /** Frames that are numbered and not acknowledged. A number is never used for another frame. */
  #pending: readonly PendingFrame[] = []

  constructor(pg: Pool, nats: NatsConnection, layout: IngestLayout, installationMark = 0) {
    this.#pg = pg
    this.#jetstream = jetstream(nats)
    this.#layout = layout
    this.#installationMark = installationMark
  }

  /** Runs one round and returns how many events were published. Rounds must not overlap. */
  async publish(): Promise<number> {
    if (this.#pending.length > 0) {
      const events = this.#pending.flatMap((frame) => frame.events)
      await this.#sendPending()
      await inTransaction(this.#pg, (client) => markSent(client, events))
      return events.length
    }
    return inTransaction(this.#pg, async (client) => {
      const events = await lockOutbox(client, eventsPerRoundMax)
      if (events.length === 0) return 0
      this.#pending = this.#frame(events)
      await this.#sendPending()
      await markSent(client, events)
      return events.length
    })
  }

  async #sendPending(): Promise<void> {
    for (const frame of this.#pending) {
      await this.#jetstream.publish(ingestSubject(frame.partition), frame.bytes, {
        msgID: frame.id,
        timeout: ackTimeoutMs,
        expect: { streamName: streamOfPartition(frame.partition, this.#layout) },
      })
    }
    this.#pending = []
  }

  #frame(events: readonly OutboxEvent[]): PendingFrame[] {
    const byPartition = new Map<number, OutboxEvent[]>()
    for (const event of events) {
      const id = Buffer.from(event.eventId, 'hex')
      const { first, partitions } = this.#layout
      const partition = first + partitionOf(event.projectId as ProjectId, id, 0, partitions)
      byPartition.set(partition, [...(byPartition.get(partition) ?? []), event])
    }
    return [...byPartition].map(([partition, own]) => {
      const counter = this.#counters.get(partition) ?? firstFrameCounter
      this.#counters.set(partition, counter + 1)
      const number = { instanceId: this.#instanceId, partition, counter }
      return {
        partition,
        id: frameId(number),
        bytes: write(own, number, this.#installationMark),
        events: own,
      }
    })
  }
}

function write(
  events: readonly OutboxEvent[],
  number: { readonly instanceId: string; readonly partition: number; readonly counter: number },
  installationMark: number,
): Buffer {
  const writer = new FrameWriter(number.partition, { take: () => Buffer.alloc(4 * KiB) })
  for (const event of events) {
    writer.append({
      kind: 'event',
      projectId: event.projectId as ProjectId,
      // The event has no DSN key, and is charged to no quota.
      dsnKeyNo: 0 as DsnKeyNo,
      leaseNo: 0,
      receivedAtMs: event.receivedAtMs,
      recordId: Buffer.from(event.eventId, 'hex'),
      headerJson: JSON.stringify({ client: event.client }),
      payload: Buffer.from(event.payload),
    })
  }
  return writer.finish(number, installationMark)
}
