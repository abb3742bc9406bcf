/**
 * Receiving domains that defer emails. If a domain defers three emails in a row, all emails to it
 * wait together, longer each time, instead of being tried one by one. One accepted email ends the
 * wait.
 */
import type { Clock } from '#platform/clock.ts'
import { RecentMap } from '#platform/recent-map.ts'

interface Trouble {
  deferredInARow: number
  heldUntilMs: number
  holds: number
}

const deferredInARowMax = 3
const domainsMax = 10_000

export class DomainHolds {
  readonly #clock: Clock
  readonly #retrySeconds: readonly number[]
  readonly #domains = new RecentMap<string, Trouble>(domainsMax)

  constructor(clock: Clock, retrySeconds: readonly number[]) {
    this.#clock = clock
    this.#retrySeconds = retrySeconds
  }

  /** Seconds to wait; 0 if the domain is not held. */
  heldSeconds(domain: string): number {
    const held = this.#domains.get(domain)
    if (held === undefined) return 0
    return Math.max(0, (held.heldUntilMs - this.#clock.monotonicMs()) / 1000)
  }

  deferred(domain: string): void {
    const trouble = this.#domains.get(domain) ?? { deferredInARow: 0, heldUntilMs: 0, holds: 0 }
    this.#domains.set(domain, trouble)
    trouble.deferredInARow += 1
    if (trouble.deferredInARow >= deferredInARowMax && this.heldSeconds(domain) === 0) {
      const seconds =
        this.#retrySeconds[Math.min(trouble.holds, this.#retrySeconds.length - 1)] ?? 60
      trouble.heldUntilMs = this.#clock.monotonicMs() + seconds * 1000
      trouble.holds += 1
    }
  }

  taken(domain: string): void {
    this.#domains.delete(domain)
  }
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}
