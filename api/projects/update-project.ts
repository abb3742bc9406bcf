import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { type OrganizationProject, renameProject } from './project-store.ts'

/** Renames a project. Its short name, and so the short ids of its issues, stay the same. */
export async function updateProject(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<OrganizationProject> {
  const { organizationId } = actor
  return ctx.pg.transaction(async (client) => {
    const project = found(await renameProject(client, { organizationId, id, name }))
    await addAudit(client, actor, {
      action: 'project.renamed',
      subjectType: 'project',
      subjectId: id,
      details: { name },
    })
    return project
  })
}
