/**
 * Under whose name emails leave: the DKIM key and the bounce domain of a sending domain, while its DNS records are verified. A
 * signature that receivers cannot verify does more harm than none, so emails of any other domain leave unsigned, with the From
 * address as envelope sender. A key is tried before it is used, because a library would rather send unsigned than say that it
 * cannot sign; emails of a domain whose key fails stay where they are.
 */
import { createPrivateKey } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { checkDkimKey, type DkimKey } from './message/dkim.ts'

export type SenderDomain =
  /** Unknown or not verified: unsigned, and bounces go to the sender's address. */
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

export class SenderDomains {
  readonly #parts: {
    readonly find: (organizationId: string, domain: string) => Promise<StoredDomain | undefined>
    readonly box: SecretBox
    readonly clock: Clock
    readonly log: Logger
  }
  readonly #warnedAtMs = new RecentMap<string, number>(domainsMax)
  readonly #known = new RecentMap<string, { untilMs: number; sender: Promise<SenderDomain> }>(
    domainsMax,
  )

  constructor(parts: {
    find: (organizationId: string, domain: string) => Promise<StoredDomain | undefined>
    box: SecretBox
    clock: Clock
    log: Logger
  }) {
    this.#parts = parts
  }

  of(organizationId: string, domain: string): Promise<SenderDomain> {
    const name = `${organizationId} ${domain}`
    const nowMs = this.#parts.clock.monotonicMs()
    const known = this.#known.get(name)
    if (known !== undefined && nowMs < known.untilMs) return known.sender
    const sender = this.#look(organizationId, domain)
    this.#known.set(name, { untilMs: nowMs + keptMs, sender })
    sender.catch(() => this.#known.delete(name))
    return sender
  }

  async #look(organizationId: string, domain: string): Promise<SenderDomain> {
    const { find, box, log } = this.#parts
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
      log.error({ code: 'dkim_key_unreadable', domain, err: error }, 'A DKIM key cannot be read.')
      return this.#broken(domain, 'it cannot be opened with this SLUICE_SECRET')
    }
  }

  /** Once an hour for each domain, and only while emails leave from it. */
  #warnUnsigned(domain: string, { id, state, state_reason: reason }: StoredDomain): void {
    const { clock, log } = this.#parts
    const nowMs = clock.monotonicMs()
    const warnedMs = this.#warnedAtMs.get(id)
    if (warnedMs !== undefined && nowMs - warnedMs < warnedAgainMs) return
    this.#warnedAtMs.set(id, nowMs)
    log.warn(
      { code: 'sending_domain_unverified', domain, state, reason },
      'The DNS records of a sending domain are not verified; its emails leave unsigned.',
    )
  }

  #broken(domain: string, what: string): SenderDomain {
    this.#parts.log.error({ code: 'dkim_key_broken', domain, what }, 'A DKIM key is of no use.')
    return { kind: 'broken', why: `The DKIM key of ${domain} is of no use: ${what}.` }
  }
}
