/**
 * Publishes frames over one NATS connection with its own acknowledgement inbox: a wildcard
 * subscription whose last token identifies the frame. The library's JetStream publish creates a
 * timer, promises and an error object for each message, which would be the bottleneck. Frames are
 * not copied on their way to the socket (scattered-writes.ts).
 */
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/nats-core'
import { createInbox, headers } from '@nats-io/nats-core'
import { streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { hasPartition, type IngestLayout } from '#schemas/bus/layout.ts'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import type { SealedFrame } from '../frames/frame-batcher.ts'
import type { FrameAnswer, FrameTransport } from '../frames/frame-transport.ts'
import { scatterWrites } from './scattered-writes.ts'

export interface NatsTransportEvents {
  onAnswer(token: number, answer: FrameAnswer): void
  /** Called when the connection is restored. */
  onReconnect(): void
}

const storedPrefix = Buffer.from('{"stream":')
const seqName = Buffer.from('"seq":')
const noResponders: FrameAnswer = { kind: 'no_responders' }

export class NatsTransport implements FrameTransport {
  readonly #nats: NatsConnection
  readonly #layout: IngestLayout
  readonly #inbox = `${createInbox()}.`
  readonly #subjects = new Map<number, string>()
  #isConnected = true

  constructor(nats: NatsConnection, layout: IngestLayout) {
    this.#nats = nats
    this.#layout = layout
  }

  start(events: NatsTransportEvents): void {
    scatterWrites(this.#nats)
    this.#nats.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => {
        if (error === null) events.onAnswer(this.#tokenOf(message), answerOf(message))
      },
    })
    void this.#follow(events)
  }

  isConnected(): boolean {
    return this.#isConnected
  }

  send(frame: SealedFrame, token: number): void {
    // The client discards what is published while the connection is down.
    if (!this.#isConnected) return
    try {
      this.#nats.publish(this.#subjectOf(frame.partition), frame.bytes, {
        reply: this.#inbox + token,
        headers: frameHeaders(frame, this.#layout),
      })
    } catch {
      // The connection is closed: the frame stays in flight and is resent on the next one.
      this.#isConnected = false
    }
  }

  async #follow(events: NatsTransportEvents): Promise<void> {
    for await (const status of this.#nats.status()) {
      if (status.type === 'disconnect') {
        this.#isConnected = false
      } else if (status.type === 'reconnect') {
        this.#isConnected = true
        events.onReconnect()
      }
    }
  }

  #tokenOf(message: Msg): number {
    return Number(message.subject.slice(this.#inbox.length))
  }

  #subjectOf(partition: number): string {
    let subject = this.#subjects.get(partition)
    if (subject === undefined) {
      subject = ingestSubject(partition)
      this.#subjects.set(partition, subject)
    }
    return subject
  }
}

/**
 * With an expected stream, another stream that also captures the subject by a wrong configuration
 * cannot acknowledge the frame. Frames of a dead instance may belong to another layout, whose
 * streams this process does not know.
 */
function frameHeaders(frame: SealedFrame, layout: IngestLayout): MsgHdrs {
  const fields = headers()
  fields.set('Nats-Msg-Id', frame.id)
  if (hasPartition(layout, frame.partition)) {
    fields.set('Nats-Expected-Stream', streamOfPartition(frame.partition, layout))
  }
  return fields
}

/**
 * Recognises an acknowledgement by its first bytes and reads it in place; only other answers are
 * parsed.
 */
function answerOf(message: Msg): FrameAnswer {
  const bytes = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.byteLength)
  if (bytes.length === 0) return noResponders
  if (bytes.indexOf(storedPrefix) === 0) {
    const seqStart = bytes.indexOf(seqName) + seqName.length
    const seqEnd = endOfDigits(bytes, seqStart)
    const isDuplicate = bytes.includes('"duplicate"', seqEnd)
    return { kind: 'stored', seq: Number(bytes.toString('latin1', seqStart, seqEnd)), isDuplicate }
  }
  try {
    const { error } = message.json<{ error?: { code?: number; description?: string } }>()
    return {
      kind: 'refused',
      code: Number(error?.code ?? 0),
      description: String(error?.description ?? 'unknown answer'),
    }
  } catch {
    return { kind: 'refused', code: 0, description: 'the answer is not JSON' }
  }
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && 0x30 <= bytes[at]! && bytes[at]! <= 0x39) at += 1
  return at
}
