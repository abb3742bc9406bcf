/** The end of an attempt, whichever ledger the letter is of: what is stored, what is told about the mailbox, what its domain gets. */
import type { Logger } from '#platform/logger.ts'
import type { BounceCause } from '#schemas/mail/bounce.ts'
import type { DomainHolds } from './domain-holds.ts'
import type { SessionBounce } from './mail-bounce-store.ts'
import type { MailMetrics } from './mail-metrics.ts'
import { type PlannedResult, planResult } from './plan-result.ts'
import type { WireOutcome } from './smtp/smtp-pool.ts'

export type LetterEnd = Pick<
  PlannedResult,
  'state' | 'reason' | 'delaySeconds' | 'bounce' | 'trouble'
>

export interface AboutLetter {
  readonly attempt: number
  readonly domain: string
  readonly addressId: string
  readonly letterRef: string
  readonly campaignId: string | null
}

export class LetterEnds {
  readonly #parts: {
    readonly retrySeconds: readonly number[]
    readonly holds: DomainHolds
    readonly metrics: MailMetrics
    readonly log: Logger
    readonly recordBounce: (bounce: SessionBounce) => Promise<void>
  }
  readonly #bounces = new Set<Promise<void>>()

  constructor(parts: {
    retrySeconds: readonly number[]
    holds: DomainHolds
    metrics: MailMetrics
    log: Logger
    recordBounce: (bounce: SessionBounce) => Promise<void>
  }) {
    this.#parts = parts
  }

  of(outcome: WireOutcome, letter: AboutLetter): LetterEnd {
    const { retrySeconds, holds, metrics } = this.#parts
    const end = planResult(outcome, { attempt: letter.attempt, retrySeconds })
    metrics.letters.inc({ kind: letter.campaignId === null ? 'send' : 'campaign', end: end.state })
    if (end.state === 'sent') holds.taken(letter.domain)
    else if (end.trouble === 'deferred') holds.deferred(letter.domain)
    if (end.bounce !== undefined) this.#tell(end.bounce, end.reason ?? '', letter)
    return end
  }

  async drain(): Promise<void> {
    await Promise.all(this.#bounces)
  }

  #tell(cause: BounceCause, excerpt: string, letter: AboutLetter): void {
    const { addressId, letterRef, campaignId } = letter
    const { recordBounce, log } = this.#parts
    const telling = recordBounce({ cause, excerpt, addressId, letterRef, campaignId })
      .catch((error: unknown) => {
        log.error({ code: 'bounce_lost', err: error, addressId }, 'A bounce was not recorded.')
      })
      .finally(() => this.#bounces.delete(telling))
    this.#bounces.add(telling)
  }
}
