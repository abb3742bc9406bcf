/**
 * From addresses in the moment of sending: a domain may have been lost since the email was stored, or the email is older than the
 * rule. Refused emails stay where they are, and say why.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { FromDomainState } from '#schemas/mail/from-domain.ts'
import type { FromDomain } from './ledger/mail-send-store.ts'

const domainsMax = 1_000
const warnedAgainMs = 3_600_000

export interface FromDomainsParts {
  readonly find: (organizationId: string, domain: string) => Promise<FromDomainState>
  /** MAIL_ALLOW_UNVERIFIED_FROM */
  readonly allowUnverifiedFrom: boolean
  readonly clock: Clock
  readonly log: Logger
}

export class FromDomains {
  readonly #parts: FromDomainsParts
  readonly #warnedAtMs = new RecentMap<string, number>(domainsMax)

  constructor(parts: FromDomainsParts) {
    this.#parts = parts
  }

  get allowUnverified(): boolean {
    return this.#parts.allowUnverifiedFrom
  }

  /** Whether emails of this domain must not leave; says so in the log. */
  async isRefused(from: FromDomain): Promise<boolean> {
    const { find, allowUnverifiedFrom } = this.#parts
    if ((await find(from.organizationId, from.domain)) !== 'unknown') return false
    this.warn([from])
    return !allowUnverifiedFrom
  }

  /** Once an hour for each domain. */
  warn(found: readonly FromDomain[]): void {
    const { clock, log, allowUnverifiedFrom } = this.#parts
    const nowMs = clock.monotonicMs()
    for (const { organizationId, domain } of found) {
      const key = `${organizationId} ${domain}`
      const warnedMs = this.#warnedAtMs.get(key)
      if (warnedMs !== undefined && nowMs - warnedMs < warnedAgainMs) continue
      this.#warnedAtMs.set(key, nowMs)
      const about = { code: 'from_not_verified', organizationId, domain }
      if (allowUnverifiedFrom) {
        log.warn(
          about,
          'A From domain is neither verified nor allowed; its emails are sent because of MAIL_ALLOW_UNVERIFIED_FROM.',
        )
      } else {
        log.warn(
          about,
          'A From domain is neither verified nor allowed; its campaigns are paused and its other emails wait for a day.',
        )
      }
    }
  }
}
