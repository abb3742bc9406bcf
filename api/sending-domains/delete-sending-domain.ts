import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found, requireUuid } from '../http/route.ts'
import { deleteSendingDomain as deleteStored } from './sending-domain-store.ts'

/** Deletes a sending domain with its DKIM key: emails from it are no longer signed. */
export async function deleteSendingDomain(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  input: { readonly id: string },
): Promise<{ id: string; domain: string }> {
  const { organizationId } = actor
  const id = requireUuid(input.id)
  return ctx.pg.transaction(async (pg) => {
    const { domain } = found(await deleteStored(pg, { organizationId, id }))
    await addAudit(pg, actor, {
      action: 'sending_domain.removed',
      subjectType: 'sending_domain',
      subjectId: id,
      details: { domain },
    })
    return { id, domain }
  })
}
