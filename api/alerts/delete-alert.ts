import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { deleteRule } from './alert-store.ts'

/** Deletes a rule with its targets, firings and deliveries. */
export async function deleteAlert(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { project, id }: { readonly project: StoredProject; readonly id: string },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    const name = found(await deleteRule(client, { projectId: project.dsnId, id }))
    await addAudit(client, actor, {
      action: 'alert.deleted',
      subjectType: 'alert',
      subjectId: id,
      details: { project_id: project.id, name },
    })
  })
}
