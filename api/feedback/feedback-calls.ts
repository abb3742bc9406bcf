/** Calls of the last minute by address, exact: a window slides with the clock and does not jump with the minute. */

export const feedbackCallsPerMinuteMax = 20

const windowMs = 60_000
/** The address that was silent longest is forgotten first. */
const addressesMax = 100_000

export class FeedbackCalls {
  readonly #calls = new Map<string, number[]>()

  hit(address: string, nowMs: number) {
    const recent = (this.#calls.get(address) ?? []).filter((atMs) => nowMs - windowMs < atMs)
    const isAllowed = recent.length < feedbackCallsPerMinuteMax
    if (isAllowed) recent.push(nowMs)
    this.#calls.delete(address)
    this.#calls.set(address, recent)
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > addressesMax && oldest !== undefined) this.#calls.delete(oldest)
    const resetSeconds = Math.ceil((recent[0]! + windowMs - nowMs) / 1000)
    return {
      isAllowed,
      headers: {
        'ratelimit-limit': feedbackCallsPerMinuteMax,
        'ratelimit-remaining': feedbackCallsPerMinuteMax - recent.length,
        'ratelimit-reset': resetSeconds,
        ...(isAllowed ? {} : { 'retry-after': resetSeconds }),
      },
    }
  }
}
