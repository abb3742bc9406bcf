/**
 * Under whose name letters leave: the DKIM key and the bounce domain of a sending domain. A key is tried before it is used, because
 * a library would rather send unsigned than say that it cannot sign; letters of a domain whose key fails stay where they are.
 */
import { createPrivateKey } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { checkDkimKey, type DkimKey } from './letter/dkim.ts'

export type SenderDomain =
  /** Known to nobody: unsigned, and bounces go to the sender's address. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'signed'; readonly dkim: DkimKey; readonly bounceDomain: string }
  | { readonly kind: 'broken'; readonly why: string }

export interface StoredDomain {
  readonly id: string
  readonly selector: string
  readonly sealed_key: Buffer
  readonly bounce_domain: string | null
}

const keptMs = 30_000
const domainsMax = 1_000

export class SenderDomains {
  readonly #parts: {
    readonly find: (organizationId: string, domain: string) => Promise<StoredDomain | undefined>
    readonly box: SecretBox
    readonly clock: Clock
    readonly log: Logger
  }
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

  #broken(domain: string, what: string): SenderDomain {
    this.#parts.log.error({ code: 'dkim_key_broken', domain, what }, 'A DKIM key is of no use.')
    return { kind: 'broken', why: `The DKIM key of ${domain} is of no use: ${what}.` }
  }
}
