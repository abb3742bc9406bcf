/**
 * Wall time for the monitors of a partition on which nothing comes. While something comes, its times of receipt are the clock
 * (passed-minutes.ts). Wall time counts only when everything the broker has of the partition is committed: otherwise the
 * check-ins that wait there would be called missed.
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

export class MonitorClock {
  readonly #options: MonitorClockOptions
  readonly #nextLookMs = new Map<number, number>()

  constructor(options: MonitorClockOptions) {
    this.#options = options
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
    if (last === undefined || committedSeq < last) return
    await ticks.tick(cursor, minuteMs)
  }
}
