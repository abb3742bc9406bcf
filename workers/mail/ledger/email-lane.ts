/**
 * Moves emails from a ledger to the SMTP connections:
 *
 *   waiting ──claim: a lease, many at once──▶ claimed ──mark: durable, a few at once──▶ marked
 *   marked  ──take──▶ sent by a connection
 *
 * After a crash another process claims what was claimed, and what was marked is uncertain.
 * Therefore few emails are marked at a time, about as many as there are connections, and none while
 * no connection is open.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { WireJob } from '../smtp/smtp-pool.ts'

export interface Ledger<Claim> {
  /** Returns fewer than asked for if nothing else waits now. */
  readonly claim: (claimsMax: number) => Promise<readonly Claim[]>
  /**
   * How many of `count` emails the rate limit lets pass now; if none, after which time to ask
   * again.
   */
  readonly grant: (count: number) => Promise<{ readonly count: number; readonly waitMs: number }>
  /** Returns the claims that may be sent. The ledger settles the others. */
  readonly mark: (claims: readonly Claim[]) => Promise<readonly Claim[]>
  readonly release: (claim: Claim) => void
  readonly job: (claim: Claim, isFresh: () => boolean) => WireJob
  /** Whether so many results wait to be stored that no email should be taken. */
  readonly isFull: () => boolean
}

export interface LaneOptions {
  readonly name: string
  readonly claimsMax: number
  readonly marksMax: number
  /**
   * After this time a claim is released and a mark is no longer used: long before the lease
   * expires.
   */
  readonly freshMs: number
  readonly clock: Clock
  readonly log: Logger
  readonly hasOpenConnection: () => boolean
  readonly wakePool: () => void
}

interface Held<Claim> {
  readonly claim: Claim
  readonly atMs: number
}

const failedMs = 1_000

export class EmailLane<Claim> {
  readonly #ledger: Ledger<Claim>
  readonly #options: LaneOptions
  #claimed: Held<Claim>[] = []
  #marked: Held<Claim>[] = []
  #filling: Promise<void> | undefined
  /** The ledger had nothing more when last asked, and `poke` was not called since. */
  #isDry = false
  #isPoked = false
  #notBeforeMs = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(ledger: Ledger<Claim>, options: LaneOptions) {
    this.#ledger = ledger
    this.#options = options
  }

  hasWork(): boolean {
    return this.#marked.length > 0 || (this.#claimed.length > 0 && !this.#isWaiting())
  }

  /** Tells that the ledger may have more. */
  poke(): void {
    this.#isPoked = true
    this.#isDry = false
    this.#fill()
  }

  take(): WireJob | undefined {
    if (this.#isClosed) return undefined
    const next = this.#marked.shift()
    if (this.#marked.length < this.#options.marksMax / 2) this.#fill()
    if (next === undefined) return undefined
    const { clock, freshMs } = this.#options
    return this.#ledger.job(next.claim, () => clock.monotonicMs() - next.atMs < freshMs)
  }

  /** Releases what was not taken. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#filling
    for (const { claim } of [...this.#claimed.splice(0), ...this.#marked.splice(0)]) {
      this.#ledger.release(claim)
    }
  }

  #isWaiting(): boolean {
    return this.#options.clock.monotonicMs() < this.#notBeforeMs
  }

  #fill(): void {
    if (this.#isClosed || this.#filling !== undefined || this.#isWaiting()) return
    this.#filling = this.#fillUp()
      .catch((error: unknown) => {
        const { name, log } = this.#options
        log.warn(
          { code: 'lane_failed', lane: name, err: error },
          `Claiming emails failed; retrying in ${failedMs / 1000} s.`,
        )
        this.#waitFor(failedMs)
      })
      .finally(() => {
        this.#filling = undefined
        if (this.#isPoked && !this.#isClosed) this.#fill()
      })
  }

  async #fillUp(): Promise<void> {
    const { marksMax, claimsMax, wakePool } = this.#options
    this.#isPoked = false
    while (!this.#isClosed && !this.#isWaiting() && !this.#ledger.isFull()) {
      this.#dropOld()
      if (this.#marked.length < marksMax / 2 && this.#canMark()) {
        await this.#markSome(marksMax - this.#marked.length)
      } else if (this.#claimed.length < marksMax && !this.#isDry) {
        await this.#claimSome(claimsMax)
      } else return
      if (this.hasWork()) wakePool()
    }
    if (this.#ledger.isFull()) this.#waitFor(50)
  }

  #canMark(): boolean {
    return this.#claimed.length > 0 && this.#options.hasOpenConnection()
  }

  async #claimSome(claimsMax: number): Promise<void> {
    const claims = await this.#ledger.claim(claimsMax)
    const atMs = this.#options.clock.monotonicMs()
    if (claims.length < claimsMax) this.#isDry = true
    for (const claim of claims) this.#claimed.push({ claim, atMs })
  }

  async #markSome(wanted: number): Promise<void> {
    const { count, waitMs } = await this.#ledger.grant(Math.min(wanted, this.#claimed.length))
    if (count === 0) {
      this.#waitFor(waitMs)
      return
    }
    const group = this.#claimed.splice(0, count)
    const claims = group.map(({ claim }) => claim)
    let marked: readonly Claim[]
    try {
      marked = await this.#ledger.mark(claims)
    } catch (error) {
      // The mark may be stored or not. Recovery finds a stored one by its lease; what was not
      // marked is released.
      for (const claim of claims) this.#ledger.release(claim)
      throw error
    }
    const atMs = this.#options.clock.monotonicMs()
    for (const claim of marked) this.#marked.push({ claim, atMs })
  }

  #dropOld(): void {
    const { clock, freshMs } = this.#options
    const limit = clock.monotonicMs() - freshMs
    while (this.#claimed[0] !== undefined && this.#claimed[0].atMs < limit) {
      this.#ledger.release(this.#claimed.shift()!.claim)
    }
  }

  #waitFor(ms: number): void {
    this.#notBeforeMs = this.#options.clock.monotonicMs() + ms
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.poke(), ms + 1)
  }
}
