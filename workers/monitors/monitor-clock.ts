/**
 * Wall clock for the monitors of an idle partition. While records arrive, their times of receipt
 * are the clock (passed-minutes.ts). Wall time counts only if everything that the broker holds of
 * the partition is committed, and not directly after the broker was unavailable or the worker has
 * started: otherwise check-ins that wait there, or in a log of ingest, would be counted as missed.
 */
import type { Clock } from '#platform/clock.ts'
import type { Cursor } from '../partitions/ports.ts'
import { passedMinute } from './passed-minutes.ts'

export interface MonitorTicks {
  /** Whether something is due in the partition at that minute. */
  isDue(partition: number, minuteMs: number): Promise<boolean>
  /**
   * Lets the minute pass, atomically and fenced by the cursor. A second call for the same minute
   * changes nothing.
   */
  tick(cursor: Cursor, minuteMs: number): Promise<void>
}

export interface MonitorClockOptions {
  readonly ticks: MonitorTicks
  readonly clock: Clock
  /**
   * Sequence of the last message of the partition on the broker; 0 for none, undefined if the
   * broker does not answer.
   */
  readonly lastSeq: (partition: number) => Promise<number | undefined>
}

const lookIntervalMs = 5_000
/**
 * Ingest sends frames again within seconds after the broker has recovered, and starts within
 * seconds after the machine.
 */
const steadyMs = 30_000

export class MonitorClock {
  readonly #options: MonitorClockOptions
  readonly #nextLookMs = new Map<number, number>()
  #steadySinceMs: number

  constructor(options: MonitorClockOptions) {
    this.#options = options
    this.#steadySinceMs = options.clock.monotonicMs()
  }

  /**
   * To be called when the broker is unavailable or back: ingest has frames of its own to send
   * first.
   */
  unsettle(): void {
    this.#steadySinceMs = this.#options.clock.monotonicMs()
  }

  /** To be called when the owner has no range in progress, as often as convenient. */
  async tickIdle(cursor: Cursor): Promise<void> {
    const { ticks, clock, lastSeq } = this.#options
    const { partition, committedSeq, plannedSeq } = cursor
    const monotonicMs = clock.monotonicMs()
    if (monotonicMs < (this.#nextLookMs.get(partition) ?? 0) || committedSeq !== plannedSeq) return
    this.#nextLookMs.set(partition, monotonicMs + lookIntervalMs)
    // Read before the broker is queried: what it holds then is all that was published until now.
    const minuteMs = passedMinute(clock.nowMs())
    if (!(await ticks.isDue(partition, minuteMs))) return
    const last = await lastSeq(partition)
    if (last === undefined) this.unsettle()
    const isSteady = this.#steadySinceMs + steadyMs <= monotonicMs
    if (last === undefined || committedSeq < last || !isSteady) return
    await ticks.tick(cursor, minuteMs)
  }
}
