/** From addresses of domains that this installation cannot check, as behind a relay that signs by itself. The operator's decision. */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { Postgres } from '../database.ts'
import { parseSenderDomain, requireDomainName } from './public-suffix.ts'
import { allowFromDomain, disallowFromDomain } from './sending-domain-store.ts'

/** Returns the domain as it is compared. A second time changes nothing. */
export async function allowDomain(
  pg: Postgres,
  actor: Actor,
  wanted: { readonly domain: string; readonly reason: string | null },
): Promise<string> {
  const domain = parseSenderDomain('domain', wanted.domain)
  const { organizationId, name: createdBy } = actor
  const { reason } = wanted
  await pg.transaction(async (client) => {
    if (!(await allowFromDomain(client, { organizationId, domain, reason, createdBy }))) return
    await addAudit(client, actor, {
      action: 'from_domain.allowed',
      subjectType: 'from_domain',
      details: { domain, reason },
    })
  })
  return domain
}

export async function disallowDomain(pg: Postgres, actor: Actor, text: string): Promise<string> {
  const domain = requireDomainName('domain', text)
  const { organizationId } = actor
  await pg.transaction(async (client) => {
    if (!(await disallowFromDomain(client, { organizationId, domain }))) {
      throw new CodedError('not_found', { message: `The domain ${domain} is not allowed.` })
    }
    await addAudit(client, actor, {
      action: 'from_domain.disallowed',
      subjectType: 'from_domain',
      details: { domain },
    })
  })
  return domain
}
