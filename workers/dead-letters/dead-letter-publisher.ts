/**
 * Publishes dead letters whose retry was requested. Each is digested once:
 *
 *   assign    letters get a frame (instance id and partition, counter 0) in Postgres, before anything is published
 *   publish   the frame is made of exactly its letters, and published under its number until its letters are gone
 *   commit    the range that holds the frame notes the number and deletes the letters in one transaction (commit-store.ts)
 *
 * A crash anywhere leads to the same frame being published again. The broker drops it as a duplicate, or the partition does by its
 * number (frame-progress.ts), or it is digested for the first time.
 */
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { v4 as uuidv4 } from 'uuid'
import type { IngestLayout } from '#platform/nats/ingest-streams.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { FrameWriter, firstFrameCounter, frameId } from '#schemas/bus/frame.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import type { RetryHeader } from '#schemas/dead-letter.ts'
import { KiB, MiB, recordsPerFrameMax } from '#schemas/limits.ts'
import {
  assignFrame,
  listFramesToPublish,
  lockRequested,
  markFramePublished,
  type RequestedEmail,
  type RetriedEmail,
  type RetryFrame,
  readFrameEmails,
} from './dead-letter-store.ts'

const emailsPerRoundMax = 1_000
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

  /** One round; returns how many letters reached the bus. Safe to be run by several processes at once. */
  async publish(): Promise<number> {
    await inTransaction(this.#pg, async (client) => {
      const { partitions } = this.#layout
      const requested = await lockRequested(client, { partitions, limit: emailsPerRoundMax })
      for (const { partition, emails } of groupIntoFrames(requested, partitions)) {
        const frame = { instanceId: uuidv4().replaceAll('-', ''), partition }
        const emailIds = emails.map(({ id }) => id)
        await assignFrame(client, frame, emailIds)
      }
    })
    let published = 0
    for (const frame of await listFramesToPublish(this.#pg, framesPerRoundMax)) {
      const emails = await readFrameEmails(this.#pg, frame)
      if (emails.length === 0) continue
      await this.#send(frame, emails)
      await markFramePublished(this.#pg, frame)
      published += emails.length
    }
    return published
  }

  async #send({ instanceId, partition }: RetryFrame, emails: readonly RetriedEmail[]) {
    const number = { instanceId: instanceId, partition, counter: firstFrameCounter }
    const writer = new FrameWriter(partition, { take: () => Buffer.alloc(64 * KiB) })
    for (const email of emails) writer.append(recordOf(email))
    await this.#jetstream.publish(
      ingestSubject(partition),
      writer.finish(number, this.#installationMark),
      {
        msgID: frameId(number),
        timeout: ackTimeoutMs,
        expect: { streamName: streamOfPartition(partition, this.#layout.streams) },
      },
    )
  }
}

/** As it was received, with what the digest needs to reverse the old outcome. */
function recordOf(email: RetriedEmail) {
  const retry: RetryHeader = { dead_letter: email.id, reason: email.reason }
  return {
    kind: email.kind,
    projectId: email.projectId,
    dsnKeyNo: email.dsnKeyNo,
    // The original lease was refunded. A record without a lease is charged when it is accepted (quota-settlement.ts).
    leaseNo: 0,
    receivedAtMs: email.receivedAtMs,
    recordId: email.recordId,
    address: email.address,
    headerJson: JSON.stringify({ ...email.header, retry }),
    payload: email.payload,
  }
}

interface FrameOfEmails {
  readonly partition: number
  readonly emails: RequestedEmail[]
  payloadBytes: number
}

/** Letters go back to the partition they were read from, where copies of them and their monitor are known. */
export function groupIntoFrames(
  emails: readonly RequestedEmail[],
  partitions: number,
): { readonly partition: number; readonly emails: readonly RequestedEmail[] }[] {
  const frames: FrameOfEmails[] = []
  const open = new Map<number, FrameOfEmails>()
  for (const email of emails) {
    const partition = targetOf(email, partitions)
    let frame = open.get(partition)
    const isFull =
      frame !== undefined &&
      (frame.emails.length >= recordsPerFrameMax ||
        frame.payloadBytes + email.payloadBytes > payloadBytesPerFrame)
    if (frame === undefined || isFull) {
      frame = { partition, emails: [], payloadBytes: 0 }
      frames.push(frame)
      open.set(partition, frame)
    }
    frame.emails.push(email)
    frame.payloadBytes += email.payloadBytes
  }
  return frames
}

/** The streams may have been made anew with fewer partitions. */
function targetOf({ partition, projectId, recordId }: RequestedEmail, partitions: number): number {
  if (partition < partitions) return partition
  return partitionOf(projectId, Buffer.from(recordId, 'hex'), 0, partitions)
}
