/**
 * How long changes are collected before what is on the screen is read again: a second, so that a
 * single event is seen at once, and up to eight while a project is busy, because a login has 300
 * requests per minute. Ten quiet seconds bring the second back.
 */

const pauseMsMin = 1_000
const pauseMsMax = 8_000
const quietMs = 10_000

export class RefreshPause {
  #pauseMs = pauseMsMin
  #lastMs = Number.NEGATIVE_INFINITY

  /** The pause that begins now. */
  begin(nowMs: number): number {
    const isBusy = nowMs - this.#lastMs < quietMs
    this.#pauseMs = isBusy ? Math.min(this.#pauseMs * 2, pauseMsMax) : pauseMsMin
    this.#lastMs = nowMs + this.#pauseMs
    return this.#pauseMs
  }
}
