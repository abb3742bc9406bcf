import { addDefaultRule } from '../alerts/default-rule.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { addDsnKey } from '../keys/dsn-key-store.ts'
import { addProject, findOrganizationProject, type OrganizationProject } from './project-store.ts'

/** Creates a project with its default DSN key and its default alert rule. */
export async function createProject(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { name }: { readonly name: string },
): Promise<OrganizationProject> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const { id, dsnId } = await addProject(client, { organizationId, name })
    await addDsnKey(client, { projectId: id, label: null })
    await addDefaultRule(client, { organizationId, projectId: dsnId })
    await addAudit(client, actor, {
      action: 'project.created',
      subjectType: 'project',
      subjectId: id,
      details: { name },
    })
    return found(await findOrganizationProject(client, { organizationId, id }))
  })
}
