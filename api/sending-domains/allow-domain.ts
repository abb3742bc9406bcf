import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { parseSenderDomain } from './public-suffix.ts'
import { allowFromDomain } from './sending-domain-store.ts'

/**
 * Allows From addresses of a domain that this installation cannot check, for example behind a relay
 * that signs emails. Only the operator can do this. Returns the domain in the form in which it is
 * compared. Allowing it a second time changes nothing.
 */
export async function allowDomain(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  input: { readonly domain: string; readonly reason: string | null },
): Promise<string> {
  const domain = parseSenderDomain('domain', input.domain)
  const { organizationId, name: createdBy } = actor
  const { reason } = input
  await ctx.pg.transaction(async (pg) => {
    if (!(await allowFromDomain(pg, { organizationId, domain, reason, createdBy }))) return
    await addAudit(pg, actor, {
      action: 'from_domain.allowed',
      subjectType: 'from_domain',
      details: { domain, reason },
    })
  })
  return domain
}
