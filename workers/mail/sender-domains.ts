/**
 * The DKIM key and the bounce domain of a sending domain, while its DNS records are verified. A
 * signature that receivers cannot verify does more harm than none, so emails of other domains are
 * sent unsigned, with the From address as envelope sender. Each key is tested before it is used;
 * emails of a domain whose key fails the test are held back.
 */
import { createPrivateKey } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { checkDkimKey, type DkimKey } from './message/dkim.ts'

export type SenderDomain =
  /** An unknown or unverified domain: emails are unsigned, and bounces go to the From address. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'signed'; readonly dkim: DkimKey; readonly bounceDomain: string }
  | { readonly kind: 'broken'; readonly why: string }

export interface StoredDomain {
  readonly id: string
  readonly selector: string
  readonly sealed_key: Buffer
  readonly bounce_domain: string | null
  readonly state: 'pending' | 'verified' | 'failed'
  readonly state_reason: string | null
}

const keptMs = 30_000
const domainsMax = 1_000
const warnedAgainMs = 3_600_000

export interface SenderDomainsOptions {
  readonly find: (organizationId: string, domain: string) => Promise<StoredDomain | undefined>
  readonly box: SecretBox
  readonly clock: Clock
  readonly log: Logger
}

export class SenderDomains {
  readonly #options: SenderDomainsOptions
  readonly #warnedAtMs = new RecentMap<string, number>(domainsMax)
  readonly #known = new RecentMap<string, { untilMs: number; sender: Promise<SenderDomain> }>(
    domainsMax,
  )

  constructor(options: SenderDomainsOptions) {
    this.#options = options
  }

  of(organizationId: string, domain: string): Promise<SenderDomain> {
    const name = `${organizationId} ${domain}`
    const nowMs = this.#options.clock.monotonicMs()
    const known = this.#known.get(name)
    if (known !== undefined && nowMs < known.untilMs) return known.sender
    const sender = this.#look(organizationId, domain)
    this.#known.set(name, { untilMs: nowMs + keptMs, sender })
    sender.catch(() => this.#known.delete(name))
    return sender
  }

  async #look(organizationId: string, domain: string): Promise<SenderDomain> {
    const { find, box, log } = this.#options
    const stored = await find(organizationId, domain)
    if (stored === undefined) return { kind: 'plain' }
    if (stored.state !== 'verified') {
      this.#warnUnsigned(domain, stored)
      return { kind: 'plain' }
    }
    const { selector } = stored
    const bounceDomain = stored.bounce_domain ?? `bounces.${domain}`
    try {
      const key = createPrivateKey(box.open('dkim', stored.id, stored.sealed_key))
      const state = checkDkimKey(key)
      if (state === 'usable') {
        return { kind: 'signed', dkim: { domain, selector, key }, bounceDomain }
      }
      return this.#broken(domain, state === 'not_rsa' ? 'it is not an RSA key' : 'it does not sign')
    } catch (error) {
      log.error(
        { code: 'dkim_key_unreadable', domain, err: error },
        'A DKIM key cannot be decrypted or parsed.',
      )
      return this.#broken(domain, 'it cannot be opened with this SLUICE_SECRET')
    }
  }

  /** At most once an hour for each domain, and only while emails are sent from it. */
  #warnUnsigned(domain: string, { id, state, state_reason: reason }: StoredDomain): void {
    const { clock, log } = this.#options
    const nowMs = clock.monotonicMs()
    const warnedMs = this.#warnedAtMs.get(id)
    if (warnedMs !== undefined && nowMs - warnedMs < warnedAgainMs) return
    this.#warnedAtMs.set(id, nowMs)
    log.warn(
      { code: 'sending_domain_unverified', domain, state, reason },
      'The DNS records of a sending domain are not verified; its emails are sent unsigned.',
    )
  }

  #broken(domain: string, what: string): SenderDomain {
    this.#options.log.error(
      { code: 'dkim_key_broken', domain, what },
      'A DKIM key is invalid; emails of its domain are held back.',
    )
    return { kind: 'broken', why: `The DKIM key of ${domain} is invalid: ${what}.` }
  }
}
