/**
 * A JetStream with faults. It stores frames by stream sequence and remembers message ids for two
 * minutes. It can lose or delay acknowledgements, hang, be full, lose the newest acknowledged
 * messages, reuse their sequence numbers, and be recreated as another stream of the same name.
 */
import { streamName } from '#platform/nats/stream-of-partition.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { Random } from '../../fixtures/random.ts'
import type { Timeline } from '../timeline.ts'

export interface StoredMessage {
  readonly seq: number
  readonly partition: number
  readonly id: string
  readonly bytes: Buffer
}

export interface SimStream {
  readonly name: string
  createdAt: string
  messages: StoredMessage[]
  firstSeq: number
  lastSeq: number
  /** Sequence of each message id, and the time at which it was stored. */
  ids: Map<string, { readonly seq: number; readonly atMs: number }>
}

export type BrokerAnswer =
  | { readonly kind: 'stored'; readonly seq: number; readonly isDuplicate: boolean }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  | { readonly kind: 'no_responders' }

export interface BrokerTrouble {
  /** Nothing is stored or answered; messages sent in the meantime are handled when it ends. */
  hangs: boolean
  /** There is no leader: a publish is answered with "no responders" at once. */
  hasNoLeader: boolean
  lostAckShare: number
  lateAckShare: number
  lateAckMs: number
  /** Share of messages that never arrive, as when a connection breaks. */
  lostMessageShare: number
}

export const noBrokerTrouble: Readonly<BrokerTrouble> = {
  hangs: false,
  hasNoLeader: false,
  lostAckShare: 0,
  lateAckShare: 0,
  lateAckMs: 0,
  lostMessageShare: 0,
}

const duplicateWindowMs = 120_000
const latencyMs = [0.2, 3] as const

export class SimBroker {
  readonly trouble: BrokerTrouble = { ...noBrokerTrouble }
  readonly streams: readonly SimStream[]
  readonly connections = new Set<{ cut(): void; lose(): void; reconnectSoon(): void }>()
  /** Number of messages that a stream holds before it is full. */
  messagesMax = Number.POSITIVE_INFINITY
  isDown = false
  /** Number of stored messages that were lost. */
  forgottenCount = 0
  readonly #layout: IngestLayout
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #hanging: (() => void)[] = []
  readonly #watchers = new Set<() => void>()
  #incarnations = 0

  constructor({ timeline, random }: { timeline: Timeline; random: Random }, layout: IngestLayout) {
    this.#layout = layout
    this.#timeline = timeline
    this.#random = random
    this.streams = Array.from({ length: layout.streams }, (_, index) => ({
      name: streamName(index, layout),
      createdAt: this.#newIncarnation(),
      messages: [],
      firstSeq: 1,
      lastSeq: 0,
      ids: new Map(),
    }))
  }

  streamOf(partition: number): SimStream {
    const stream = this.streams[(partition - this.#layout.first) % this.streams.length]
    if (stream === undefined) throw new Error(`partition ${partition} has no stream`)
    return stream
  }

  /** The stream as the broker reports it. */
  describe(partition: number): { createdAt: string; lastSeq: number } {
    const { createdAt, lastSeq } = this.streamOf(partition)
    return { createdAt, lastSeq }
  }

  latency(): number {
    return this.#random.spread(...latencyMs)
  }

  /**
   * Calls `onChange` after every change of the stored messages. Returns a function that stops it.
   */
  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange)
    return () => this.#watchers.delete(onChange)
  }

  /** Handles a message that has arrived. */
  accept(message: Omit<StoredMessage, 'seq'>, answer: (answer: BrokerAnswer) => void): void {
    if (this.isDown) return
    if (this.trouble.hangs) {
      this.#hanging.push(() => this.accept(message, answer))
      return
    }
    if (this.trouble.hasNoLeader) {
      answer({ kind: 'no_responders' })
      return
    }
    const stream = this.streamOf(message.partition)
    const known = stream.ids.get(message.id)
    if (known !== undefined && this.#timeline.nowMs < known.atMs + duplicateWindowMs) {
      this.#note(`${message.id} is a duplicate of ${known.seq}`)
      answer({ kind: 'stored', seq: known.seq, isDuplicate: true })
      return
    }
    if (stream.messages.length >= this.messagesMax) {
      answer({ kind: 'refused', code: 503, description: 'maximum messages exceeded' })
      return
    }
    stream.lastSeq += 1
    stream.messages.push({ ...message, seq: stream.lastSeq })
    stream.ids.set(message.id, { seq: stream.lastSeq, atMs: this.#timeline.nowMs })
    this.#note(`${stream.name} ${stream.lastSeq} = ${message.id}`)
    this.#changed()
    answer({ kind: 'stored', seq: stream.lastSeq, isDuplicate: false })
  }

  purge(stream: SimStream, throughSeq: number): void {
    const kept = stream.messages.filter(({ seq }) => seq > throughSeq)
    if (kept.length === stream.messages.length) return
    stream.messages = kept
    stream.firstSeq = Math.max(stream.firstSeq, Math.min(throughSeq, stream.lastSeq) + 1)
    this.#note(`${stream.name} purged through ${throughSeq}`)
  }

  /**
   * Loses the newest messages, acknowledged or not, as in a crash. Their sequence numbers are
   * reused.
   */
  forgetTail(stream: SimStream, count: number, remembersIds: boolean): void {
    const lost = stream.messages.splice(Math.max(0, stream.messages.length - count))
    const first = lost[0]
    if (first === undefined) return
    stream.lastSeq = first.seq - 1
    stream.firstSeq = Math.min(stream.firstSeq, stream.lastSeq + 1)
    if (!remembersIds) for (const { id } of lost) stream.ids.delete(id)
    this.forgottenCount += lost.length
    this.#note(
      `${stream.name} loses ${first.seq}-${lost.at(-1)?.seq}${remembersIds ? ', but not their ids' : ''}`,
    )
    this.#changed()
  }

  /** Loses the stream and recreates it under the same name. */
  recreate(stream: SimStream): void {
    this.forgottenCount += stream.messages.length
    stream.createdAt = this.#newIncarnation()
    stream.messages = []
    stream.firstSeq = 1
    stream.lastSeq = 0
    stream.ids = new Map()
    this.#note(`${stream.name} is recreated`)
    this.#changed()
  }

  /** Loses the message ids, as a restart can do. */
  forgetIds(): void {
    for (const stream of this.streams) stream.ids.clear()
    this.#note('loses its message ids')
  }

  crash(): void {
    if (this.isDown) return
    this.isDown = true
    this.#hanging.length = 0
    this.#note('down')
    for (const connection of this.connections) connection.lose()
  }

  restart(): void {
    if (!this.isDown) return
    this.isDown = false
    this.#note('up')
    for (const connection of this.connections) connection.reconnectSoon()
  }

  /** Ends a hang: messages sent in the meantime are handled. */
  resume(): void {
    this.trouble.hangs = false
    for (const run of this.#hanging.splice(0)) this.#timeline.after(this.latency(), run)
  }

  /** Lets each stream hold up to `room` more messages. */
  limitTo(room: number): void {
    this.messagesMax = Math.max(...this.streams.map(({ messages }) => messages.length)) + room
  }

  heal(): void {
    Object.assign(this.trouble, noBrokerTrouble)
    this.messagesMax = Number.POSITIVE_INFINITY
    this.restart()
    this.resume()
  }

  #changed(): void {
    for (const run of this.#watchers) run()
  }

  #newIncarnation(): string {
    this.#incarnations += 1
    return `2026-11-01T00:00:00.${String(this.#incarnations).padStart(9, '0')}Z`
  }

  #note(text: string): void {
    this.#timeline.note(`broker: ${text}`)
  }
}
