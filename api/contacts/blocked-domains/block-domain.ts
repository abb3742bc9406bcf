import { parseDomainName } from '#schemas/domain-name.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { isPublicSuffix } from '../../sending-domains/public-suffix.ts'
import {
  addBlockedDomain,
  type BlockedDomain,
  blockedDomainsMax,
  countBlockedDomains,
  findBlockedDomain,
} from './blocked-domain-store.ts'

/** Blocks a domain and its subdomains for signups. Contacts that exist keep their status. */
export async function blockDomain(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  /**
   * `confirmed`: must be true for a public suffix, which would block the domains of many owners.
   */
  input: { readonly domain: string; readonly confirmed: boolean },
): Promise<{ added: boolean; entry: BlockedDomain }> {
  const { organizationId } = actor
  const domain = parseDomain(input)
  const now = new Date(ctx.clock.nowMs())
  return ctx.pg.transaction(async (client) => {
    const known = await findBlockedDomain(client, { organizationId, domain })
    if (known !== undefined) return { added: false, entry: known }
    if (blockedDomainsMax <= (await countBlockedDomains(client, organizationId))) {
      const message = `An organization has at most ${blockedDomainsMax} blocked domains.`
      throw new CodedError('conflict', { message })
    }
    const added = (await addBlockedDomain(client, { organizationId, domain, now })) === 'added'
    if (added) {
      await addAudit(client, actor, {
        action: 'blocked_domain.added',
        subjectType: 'blocked_domain',
        subjectId: domain,
      })
    }
    return { added, entry: { domain, created_at: now } }
  })
}

function parseDomain({ domain: typed, confirmed }: { domain: string; confirmed: boolean }): string {
  const parsed = parseDomainName(typed.trim().replace(/^@/, ''))
  if (parsed.kind === 'invalid') throw invalidField('domain', parsed.rule)
  const { domain } = parsed
  if (isPublicSuffix(domain) && !confirmed) {
    throw invalidField(
      'domain',
      `must not be a public suffix: ${domain} holds the domains of many owners. Set \`confirmed\` to true to block it anyway`,
    )
  }
  return domain
}
