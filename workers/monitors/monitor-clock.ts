/**
 * Wall time for the monitors of a partition on which nothing comes. While something comes, its times of receipt are the clock
 * (passed-minutes.ts). Wall time counts only when everything the broker has of the partition is committed, and not right
 * after the broker was away or the worker has started: otherwise check-ins that wait there, or in a log of ingest, would be
 * called missed.
 */
import type { Clock } from '#platform/clock.ts'
import type { Cursor } from '../partitions/ports.ts'
import { passedMinute } from './passed-minutes.ts'

export interface MonitorTicks {
  /** Whether something is due in the partition at that minute. */
  isDue(partition: number, minuteMs: number): Promise<boolean>
  /** Atomic and fenced by the cursor: lets the minute pass. A second time it changes nothing. */
  tick(cursor: Cursor, minuteMs: number): Promise<void>
}

export interface MonitorClockOptions {
  readonly ticks: MonitorTicks
  readonly clock: Clock
  /** Sequence of the last message the broker has of the partition, 0 for none; undefined when it does not say. */
  readonly lastSeq: (partition: number) => Promise<number | undefined>
}

const lookIntervalMs = 5_000
/** Ingest sends again within seconds of the broker's return, and starts within seconds of a machine's. */
const steadyMs = 30_000

export class MonitorClock {
  readonly #options: MonitorClockOptions
  readonly #nextLookMs = new Map<number, number>()
  #steadySinceMs: number

  constructor(options: MonitorClockOptions) {
    this.#options = options
    this.#steadySinceMs = options.clock.monotonicMs()
  }

  /** The broker is back, or does not answer: ingest has frames of its own to send first. */
  unsettle(): void {
    this.#steadySinceMs = this.#options.clock.monotonicMs()
  }

  /** To be called when the owner has nothing in hand; how often does not matter. */
  async tickIdle(cursor: Cursor): Promise<void> {
    const { ticks, clock, lastSeq } = this.#options
    const { partition, committedSeq, plannedSeq } = cursor
    const monotonicMs = clock.monotonicMs()
    if (monotonicMs < (this.#nextLookMs.get(partition) ?? 0) || committedSeq !== plannedSeq) return
    this.#nextLookMs.set(partition, monotonicMs + lookIntervalMs)
    // Read before the broker is asked: what it has then is all that was published until now.
    const minuteMs = passedMinute(clock.nowMs())
    if (!(await ticks.isDue(partition, minuteMs))) return
    const last = await lastSeq(partition)
    if (last === undefined) this.unsettle()
    const isSteady = this.#steadySinceMs + steadyMs <= monotonicMs
    if (last === undefined || committedSeq < last || !isSteady) return
    await ticks.tick(cursor, minuteMs)
  }
}
