import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { requireDomainName } from './public-suffix.ts'
import { disallowFromDomain } from './sending-domain-store.ts'

/**
 * Undoes `allowDomain`. Returns the domain in the form in which it is compared. Throws `not_found`
 * if it is not allowed.
 */
export async function disallowDomain(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  input: { readonly domain: string },
): Promise<string> {
  const domain = requireDomainName('domain', input.domain)
  const { organizationId } = actor
  await ctx.pg.transaction(async (pg) => {
    if (!(await disallowFromDomain(pg, { organizationId, domain }))) {
      throw new CodedError('not_found', { message: `The domain ${domain} is not allowed.` })
    }
    await addAudit(pg, actor, {
      action: 'from_domain.disallowed',
      subjectType: 'from_domain',
      details: { domain },
    })
  })
  return domain
}
