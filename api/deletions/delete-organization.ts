import type { Actor } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import {
  addDeletedProjects,
  addDeletion,
  findOrganizationDeletion,
  noteCounts,
  type StoredDeletion,
} from './deletion-store.ts'
import { detachProjects, lockProjects } from './detach-projects-store.ts'
import { closeOrganization, lockOrganization } from './organization-closing-store.ts'
import { remainingPlaces } from './remaining-places.ts'
import { requireConfirmation } from './require-confirmation.ts'

/**
 * Ends all access to the organization of the actor at once and has a job remove everything of it.
 * The audit log goes with it; the receipt stays.
 */
export async function deleteOrganization(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { confirm }: { readonly confirm: string | undefined },
): Promise<StoredDeletion> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const { name } = found(await lockOrganization(client, organizationId))
    const earlier = await findOrganizationDeletion(client, organizationId)
    if (earlier !== undefined) return earlier
    requireConfirmation(confirm, name)
    const projects = await lockProjects(client, { organizationId })
    const deletion = await addDeletion(client, actor, {
      kind: 'organization',
      projects,
      remaining: remainingPlaces,
    })
    await addDeletedProjects(client, deletion.id, projects)
    const detached = await detachProjects(client, deletion.id, projects)
    const closed = await closeOrganization(client, organizationId)
    return noteCounts(client, deletion.id, { ...detached, ...closed })
  })
}
