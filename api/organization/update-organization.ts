import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { renameOrganization, type StoredOrganization } from './organization-store.ts'

/** Renames the organization of the actor. */
export async function updateOrganization(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { name }: { readonly name: string },
): Promise<StoredOrganization> {
  const { organizationId: id } = actor
  return ctx.pg.transaction(async (client) => {
    await addAudit(client, actor, {
      action: 'organization.renamed',
      subjectType: 'organization',
      subjectId: id,
      details: { name },
    })
    return found(await renameOrganization(client, { id, name }))
  })
}
