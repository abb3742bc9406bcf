/**
 * The clock of a process, corrected by the clock of Postgres, so that a machine whose clock is a
 * day off stores events with the right time, in the right month of the quota and in the right
 * window of duplicates.
 *
 * The reference is the time of Postgres, carried on by the monotonic clock between measurements, so
 * it is also known while Postgres is away. While the machine's clock is within a minute of the
 * reference, the machine's clock is used; otherwise the reference. A jump of the machine's clock
 * therefore has no effect, not even until the next measurement.
 */
import type { Clock } from '../clock.ts'

/** Beyond this difference the reference is used. */
export const offsetMsMax = 60_000
/** Within this difference the machine's clock is used again. Smaller, so that it does not flap. */
const offsetMsAgain = 30_000
/**
 * A measurement that contradicts both the reference and the machine's clock is believed once it was
 * repeated this often: a single one may come from a Postgres whose own clock is being set.
 */
const measurementsMin = 4

export class CorrectedClock implements Clock {
  readonly #machine: Clock
  /** Reference time minus monotonic time. */
  #aheadMs: number
  #isCorrecting = false
  #isMeasured = false
  #doubted: { readonly aheadMs: number; readonly count: number } | undefined

  constructor(machine: Clock) {
    this.#machine = machine
    this.#aheadMs = machine.nowMs() - machine.monotonicMs()
  }

  monotonicMs(): number {
    return this.#machine.monotonicMs()
  }

  nowMs(): number {
    const ownMs = this.#machine.nowMs()
    const referenceMs = this.#machine.monotonicMs() + this.#aheadMs
    const offsetMs = Math.abs(ownMs - referenceMs)
    this.#isCorrecting = offsetMs > (this.#isCorrecting ? offsetMsAgain : offsetMsMax)
    return this.#isCorrecting ? Math.round(referenceMs) : ownMs
  }

  /** The machine's clock minus the reference, in milliseconds; 0 before the first measurement. */
  get offsetMs(): number {
    if (!this.#isMeasured) return 0
    return this.#machine.nowMs() - this.#machine.monotonicMs() - this.#aheadMs
  }

  /** Whether the reference is used instead of the machine's clock. */
  get isCorrecting(): boolean {
    this.nowMs()
    return this.#isCorrecting
  }

  /** @param aheadMs measured time of Postgres minus monotonic time */
  adjust(aheadMs: number): void {
    const ownAheadMs = this.#machine.nowMs() - this.#machine.monotonicMs()
    const isPlausible =
      !this.#isMeasured || isNear(aheadMs, this.#aheadMs) || isNear(aheadMs, ownAheadMs)
    if (!isPlausible && !this.#isConfirmed(aheadMs)) return
    this.#aheadMs = aheadMs
    this.#isMeasured = true
    this.#doubted = undefined
  }

  #isConfirmed(aheadMs: number): boolean {
    const before = this.#doubted
    const count = before !== undefined && isNear(aheadMs, before.aheadMs) ? before.count + 1 : 1
    this.#doubted = { aheadMs, count }
    return count >= measurementsMin
  }
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= offsetMsMax
}
