/**
 * The minutes that have certainly passed at a position of the stream: the clock of monitors, read
 * from times of receipt.
 */

/**
 * Records of several ingest processes are published at different speeds, so a record may follow
 * others that were received this much later. A minute has passed when a record received this long
 * after it was read.
 */
export const monitorGraceMs = 10_000
const minuteMs = 60_000
/** Maximum minutes of one range. Only wrong clocks produce more. */
const minutesMax = 20_000

export function passedMinute(nowMs: number): number {
  return Math.floor((nowMs - monitorGraceMs) / minuteMs) * minuteMs
}

export class PassedMinutes {
  readonly #minutes = new Set<number>()
  #last = -1

  add(receivedAtMs: number): void {
    const minute = passedMinute(receivedAtMs)
    if (minute === this.#last) return
    this.#last = minute
    if (this.#minutes.size < minutesMax) this.#minutes.add(minute)
  }

  /** Milliseconds since the epoch, ascending. */
  list(): number[] {
    return [...this.#minutes].sort((a, b) => a - b)
  }
}
