import { parseDomainName } from '#schemas/domain-name.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { deleteBlockedDomain } from './blocked-domain-store.ts'

/** Removes a domain from the blocked domains and returns it in A-labels, or throws `not_found`. */
export async function unblockDomain(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  input: { readonly domain: string },
): Promise<{ domain: string }> {
  const { organizationId } = actor
  const parsed = parseDomainName(input.domain)
  if (parsed.kind === 'invalid') throw notBlocked()
  const { domain } = parsed
  await ctx.pg.transaction(async (client) => {
    if (!(await deleteBlockedDomain(client, { organizationId, domain }))) throw notBlocked()
    await addAudit(client, actor, {
      action: 'blocked_domain.removed',
      subjectType: 'blocked_domain',
      subjectId: domain,
    })
  })
  return { domain }
}

function notBlocked(): CodedError {
  return new CodedError('not_found', { message: 'This domain is not blocked.' })
}
