/**
 * Publishes dead letters whose retry was requested. Each is digested once:
 *
 *   assign    dead letters get a frame (instance id and partition, counter 0) in Postgres before it
 *             is published
 *   publish   the frame contains exactly its dead letters, and is published under its number until
 *             they are deleted
 *   commit    the commit of the frame stores its number and deletes the dead letters in one
 *             transaction
 *
 * After a crash at any step the same frame is published again. The broker drops it as a duplicate,
 * or the partition drops it by its number (frame-progress.ts), or it is digested for the first
 * time.
 */
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { v4 as uuidv4 } from 'uuid'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { firstFrameCounter, frameId } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import { hasPartition, type IngestLayout } from '#schemas/bus/layout.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import type { RetryHeader } from '#schemas/dead-letter.ts'
import { KiB, MiB, recordsPerFrameMax } from '#schemas/limits.ts'
import {
  assignFrame,
  listFramesToPublish,
  lockRequested,
  markFramePublished,
  type RequestedDeadLetter,
  type RetriedDeadLetter,
  type RetryFrame,
  readFrameDeadLetters,
} from './dead-letter-store.ts'

const deadLettersPerRoundMax = 1_000
const framesPerRoundMax = 20
/** Payloads of one frame. A larger one has a frame to itself. */
const payloadBytesPerFrame = 1 * MiB
const ackTimeoutMs = 5_000

export class DeadLetterPublisher {
  readonly #pg: Pool
  readonly #jetstream: JetStreamClient
  readonly #layout: IngestLayout
  readonly #installationMark: number

  constructor(pg: Pool, nats: NatsConnection, layout: IngestLayout, installationMark: number) {
    this.#pg = pg
    this.#jetstream = jetstream(nats)
    this.#layout = layout
    this.#installationMark = installationMark
  }

  /**
   * Runs one round and returns how many dead letters were published. Several processes may run it
   * at once.
   */
  async publish(): Promise<number> {
    await inTransaction(this.#pg, async (client) => {
      const layout = this.#layout
      const requested = await lockRequested(client, { layout, limit: deadLettersPerRoundMax })
      for (const { partition, deadLetters } of groupIntoFrames(requested, layout)) {
        const frame = { instanceId: uuidv4().replaceAll('-', ''), partition }
        const deadLetterIds = deadLetters.map(({ id }) => id)
        await assignFrame(client, frame, deadLetterIds)
      }
    })
    let published = 0
    for (const frame of await listFramesToPublish(this.#pg, framesPerRoundMax)) {
      const deadLetters = await readFrameDeadLetters(this.#pg, frame)
      if (deadLetters.length === 0) continue
      await this.#send(frame, deadLetters)
      await markFramePublished(this.#pg, frame)
      published += deadLetters.length
    }
    return published
  }

  async #send({ instanceId, partition }: RetryFrame, deadLetters: readonly RetriedDeadLetter[]) {
    const number = { instanceId: instanceId, partition, counter: firstFrameCounter }
    const writer = new FrameWriter(partition, { take: () => Buffer.alloc(64 * KiB) })
    for (const deadLetter of deadLetters) writer.append(recordOf(deadLetter))
    await this.#jetstream.publish(
      ingestSubject(partition),
      writer.finish(number, this.#installationMark),
      {
        msgID: frameId(number),
        timeout: ackTimeoutMs,
        expect: { streamName: streamOfPartition(partition, this.#layout) },
      },
    )
  }
}

/** The record as it was received, with what the digest needs to reverse the old outcome. */
function recordOf(deadLetter: RetriedDeadLetter) {
  const retry: RetryHeader = { dead_letter: deadLetter.id, reason: deadLetter.reason }
  return {
    kind: deadLetter.kind,
    projectId: deadLetter.projectId,
    dsnKeyNo: deadLetter.dsnKeyNo,
    // The original lease was refunded. A record without a lease is charged when it is accepted
    // (quota-settlement.ts).
    leaseNo: 0,
    receivedAtMs: deadLetter.receivedAtMs,
    recordId: deadLetter.recordId,
    address: deadLetter.address,
    headerJson: JSON.stringify({ ...deadLetter.header, retry }),
    payload: deadLetter.payload,
  }
}

interface FrameOfDeadLetters {
  readonly partition: number
  readonly deadLetters: RequestedDeadLetter[]
  payloadBytes: number
}

/**
 * Dead letters return to the partition they were read from, where their duplicates and their
 * monitor are known.
 */
export function groupIntoFrames(
  deadLetters: readonly RequestedDeadLetter[],
  layout: IngestLayout,
): { readonly partition: number; readonly deadLetters: readonly RequestedDeadLetter[] }[] {
  const frames: FrameOfDeadLetters[] = []
  const open = new Map<number, FrameOfDeadLetters>()
  for (const deadLetter of deadLetters) {
    const partition = targetOf(deadLetter, layout)
    let frame = open.get(partition)
    const isFull =
      frame !== undefined &&
      (frame.deadLetters.length >= recordsPerFrameMax ||
        frame.payloadBytes + deadLetter.payloadBytes > payloadBytesPerFrame)
    if (frame === undefined || isFull) {
      frame = { partition, deadLetters: [], payloadBytes: 0 }
      frames.push(frame)
      open.set(partition, frame)
    }
    frame.deadLetters.push(deadLetter)
    frame.payloadBytes += deadLetter.payloadBytes
  }
  return frames
}

/** The partition may belong to a former layout. */
function targetOf(
  { partition, projectId, recordId }: RequestedDeadLetter,
  layout: IngestLayout,
): number {
  if (hasPartition(layout, partition)) return partition
  const { first, partitions } = layout
  return first + partitionOf(projectId, Buffer.from(recordId, 'hex'), 0, partitions)
}
