/**
 * Handles the end of an attempt for both ledgers: plans the result to store, records bounces, and
 * updates the hold of the receiving domain.
 */
import type { Logger } from '#platform/logger.ts'
import type { BounceCause } from '#schemas/mail/bounce.ts'
import type { DomainHolds } from './domain-holds.ts'
import type { SessionBounce } from './mail-bounce-store.ts'
import type { MailMetrics } from './mail-metrics.ts'
import { type PlannedResult, planResult } from './plan-result.ts'
import type { WireOutcome } from './smtp/smtp-pool.ts'

export type EmailEnd = Pick<
  PlannedResult,
  'state' | 'reason' | 'delaySeconds' | 'bounce' | 'trouble'
>

export interface AboutEmail {
  readonly attempt: number
  readonly domain: string
  readonly addressId: string
  readonly emailRef: () => string
  readonly campaignId: string | null
}

export class EmailEnds {
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

  of(outcome: WireOutcome, email: AboutEmail): EmailEnd {
    const { retrySeconds, holds, metrics } = this.#parts
    const end = planResult(outcome, { attempt: email.attempt, retrySeconds })
    metrics.emails.inc({ kind: email.campaignId === null ? 'send' : 'campaign', end: end.state })
    if (end.state === 'sent') holds.taken(email.domain)
    else if (end.trouble === 'deferred') holds.deferred(email.domain)
    if (end.bounce !== undefined) this.#tell(end.bounce, end.reason ?? '', email)
    return end
  }

  async drain(): Promise<void> {
    await Promise.all(this.#bounces)
  }

  #tell(cause: BounceCause, excerpt: string, email: AboutEmail): void {
    const { addressId, emailRef, campaignId } = email
    const { recordBounce, log } = this.#parts
    const telling = recordBounce({ cause, excerpt, addressId, emailRef: emailRef(), campaignId })
      .catch((error: unknown) => {
        log.error({ code: 'bounce_lost', err: error, addressId }, 'A bounce was not recorded.')
      })
      .finally(() => this.#bounces.delete(telling))
    this.#bounces.add(telling)
  }
}
