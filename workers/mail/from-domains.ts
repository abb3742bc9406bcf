/**
 * Checks the domain of a From address when its email is sent: the domain may have been removed
 * since the email was stored, or the email is older than this check. Refused emails stay in the
 * queue with the reason.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { FromDomainState } from '#schemas/mail/from-domain.ts'
import type { FromDomain } from './ledger/mail-send-store.ts'

const domainsMax = 1_000
const warnedAgainMs = 3_600_000

export interface FromDomainsOptions {
  readonly find: (organizationId: string, domain: string) => Promise<FromDomainState>
  /** The variable MAIL_ALLOW_UNVERIFIED_FROM. */
  readonly allowUnverifiedFrom: boolean
  readonly clock: Clock
  readonly log: Logger
}

export class FromDomains {
  readonly #options: FromDomainsOptions
  readonly #warnedAtMs = new RecentMap<string, number>(domainsMax)

  constructor(options: FromDomainsOptions) {
    this.#options = options
  }

  get allowUnverified(): boolean {
    return this.#options.allowUnverifiedFrom
  }

  /**
   * Whether emails of this domain must not be sent. Logs a warning if the domain is not verified.
   */
  async isRefused(from: FromDomain): Promise<boolean> {
    const { find, allowUnverifiedFrom } = this.#options
    if ((await find(from.organizationId, from.domain)) !== 'unknown') return false
    this.warn([from])
    return !allowUnverifiedFrom
  }

  /** Logs at most once an hour for each domain. */
  warn(found: readonly FromDomain[]): void {
    const { clock, log, allowUnverifiedFrom } = this.#options
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
