/** The minutes that have passed for sure where a log has come to: the clock of monitors, read from times of receipt. */

/**
 * A record may stand behind others on the log that were received so much later: processes of ingest publish at their own
 * pace. So a minute has passed when a record of this long after it was read, and not before.
 */
export const monitorGraceMs = 10_000
const minuteMs = 60_000
/** Of one range. More come only from clocks that are wrong. */
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

  /** As instants, ascending. */
  list(): number[] {
    return [...this.#minutes].sort((a, b) => a - b)
  }
}
