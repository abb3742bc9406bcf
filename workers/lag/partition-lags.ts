/**
 * How far each partition is behind: the age of its oldest message that is not committed, and an
 * estimate of the events that wait. The reader of a partition knows both without a question to the
 * broker; the broker is asked for partitions that no reader of this process reads, which is when a
 * take-over hangs or Postgres, and with it the lock of the partition, was lost. Such a partition is
 * reported until this process reaches Postgres again and sees that it has another owner.
 */
import type { Clock } from '#platform/clock.ts'
import type { LabelledGauge } from '#platform/metrics/metric-types.ts'
import { within } from '#platform/readiness/within.ts'
import type { PartitionPosition } from './partition-position.ts'

/** What the broker says about one stream. */
export interface StreamLook {
  readonly createdAt: string
  /** The broker's clock minus monotonic time of this process. */
  readonly aheadMs: number
  /** Messages of each partition on the stream, including committed ones that were not purged. */
  readonly messages: ReadonlyMap<number, number>
}

export interface LagSource {
  /** Rejects if the broker does not respond. */
  lookAt(stream: string): Promise<StreamLook>
  /** When the broker stored the partition's first message after a sequence, if there is one. */
  storedAfter(stream: string, partition: number, seq: number): Promise<number | undefined>
  /** Committed sequence by partition. Rejects if Postgres does not respond. */
  committedSeqs(createdAt: string): Promise<ReadonlyMap<number, number>>
  readonly streamOf: (partition: number) => string
}

export interface LagOwner {
  /** Positions of the partitions that this process owns. */
  readonly positions: ReadonlyMap<number, PartitionPosition>
  /** Whether the last attempt to claim partitions reached Postgres. */
  readonly isConnected: boolean
}

export interface LagGauges {
  readonly lagSeconds: LabelledGauge<'partition'>
  readonly lagEvents: LabelledGauge<'partition'>
  readonly secondsSinceCommit: LabelledGauge<'partition'>
}

interface Known {
  committedSeq: number | undefined
  eventsPerMessage: number
  /** Monotonic time of the last commit. */
  committedAtMs: number
}

interface Round {
  readonly positions: ReadonlyMap<number, PartitionPosition>
  /** Streams that the broker did not describe in this round. */
  readonly failed: Set<string>
  readonly committed: Map<string, Promise<ReadonlyMap<number, number>>>
}

/** A frozen Postgres must not delay what is known without it. */
const postgresMsMax = 2_000
/** Messages that are older than this are counted by the broker: what is committed was purged. */
const purgedAfterSeconds = 15

export class PartitionLags {
  readonly #source: LagSource
  readonly #owner: LagOwner
  readonly #gauges: LagGauges
  readonly #clock: Clock
  readonly #known = new Map<number, Known>()
  readonly #looks = new Map<string, StreamLook>()

  constructor(options: {
    readonly source: LagSource
    readonly owner: LagOwner
    readonly gauges: LagGauges
    readonly clock: Clock
  }) {
    this.#source = options.source
    this.#owner = options.owner
    this.#gauges = options.gauges
    this.#clock = options.clock
  }

  /** One round. Rejects if the broker did not respond, after what is known was reported. */
  async run(): Promise<void> {
    const { positions, isConnected } = this.#owner
    for (const [partition, position] of positions) this.#remember(partition, position)
    for (const partition of [...this.#known.keys()]) {
      if (isConnected && !positions.has(partition)) this.#remove(partition)
    }
    const round: Round = { positions, failed: new Set(), committed: new Map() }
    const streams = [...new Set([...this.#known.keys()].map(this.#source.streamOf))]
    const looks = await Promise.allSettled(streams.map((stream) => this.#lookAt(stream)))
    for (const [at, { status }] of looks.entries()) {
      if (status === 'rejected') round.failed.add(streams[at]!)
    }
    await Promise.all(
      [...this.#known].map(([partition, known]) => this.#report(partition, known, round)),
    )
    for (const look of looks) if (look.status === 'rejected') throw look.reason
  }

  #remember(partition: number, position: PartitionPosition): void {
    const { secondsSinceCommit, eventsPerMessage, progress } = position
    this.#known.set(partition, {
      committedSeq: progress?.committedSeq ?? this.#known.get(partition)?.committedSeq,
      eventsPerMessage,
      committedAtMs: this.#clock.monotonicMs() - secondsSinceCommit * 1000,
    })
  }

  #remove(partition: number): void {
    this.#known.delete(partition)
    for (const gauge of Object.values(this.#gauges)) gauge.remove({ partition })
  }

  async #lookAt(stream: string): Promise<void> {
    this.#looks.set(stream, await this.#source.lookAt(stream))
  }

  async #report(partition: number, known: Known, round: Round): Promise<void> {
    const { lagSeconds, lagEvents, secondsSinceCommit } = this.#gauges
    const progress = round.positions.get(partition)?.progress
    const storedAtMs =
      progress?.oldestStoredAtMs ??
      (await this.#askBroker(partition, known, { round, isRead: progress !== undefined }))
    const nowMs = this.#clock.monotonicMs()
    secondsSinceCommit.set({ partition }, (nowMs - known.committedAtMs) / 1000)
    if (storedAtMs === 'unknown') return
    const look = this.#looks.get(this.#source.streamOf(partition))
    const brokerMs = look === undefined ? this.#clock.nowMs() : nowMs + look.aheadMs
    const seconds = storedAtMs === undefined ? 0 : Math.max(0, (brokerMs - storedAtMs) / 1000)
    const onStream = look?.messages.get(partition) ?? 0
    const counted = progress === undefined || seconds > purgedAfterSeconds ? onStream : 0
    const messages =
      storedAtMs === undefined ? 0 : Math.max(1, progress?.messagesWaiting ?? 0, counted)
    lagSeconds.set({ partition }, seconds)
    lagEvents.set({ partition }, Math.round(messages * known.eventsPerMessage))
  }

  /** `unknown`: the last report stands. */
  async #askBroker(
    partition: number,
    known: Known,
    { round, isRead }: { readonly round: Round; readonly isRead: boolean },
  ): Promise<number | undefined | 'unknown'> {
    const source = this.#source
    const stream = source.streamOf(partition)
    const look = this.#looks.get(stream)
    if (look === undefined || round.failed.has(stream)) return isRead ? undefined : 'unknown'
    if ((look.messages.get(partition) ?? 0) === 0) return undefined
    if (!isRead) {
      const committed = await this.#committedSeqs(look.createdAt, round)
      known.committedSeq = committed.get(partition) ?? known.committedSeq
    }
    if (known.committedSeq === undefined) return 'unknown'
    try {
      return await source.storedAfter(stream, partition, known.committedSeq)
    } catch {
      return 'unknown'
    }
  }

  /** Read once in a round. Empty while Postgres is away. */
  #committedSeqs(createdAt: string, { committed }: Round): Promise<ReadonlyMap<number, number>> {
    const asked = committed.get(createdAt) ?? this.#readCommittedSeqs(createdAt)
    committed.set(createdAt, asked)
    return asked
  }

  #readCommittedSeqs(createdAt: string): Promise<ReadonlyMap<number, number>> {
    const reading = this.#source.committedSeqs(createdAt)
    return within(postgresMsMax, 'Postgres', reading).catch(() => new Map())
  }
}
