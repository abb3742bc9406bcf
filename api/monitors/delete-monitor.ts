import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { deleteMonitor as deleteRow } from './monitor-store.ts'

/** Deletes a monitor and its runs. A later check-in with the same slug creates a new monitor. */
export async function deleteMonitor(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { project, slug }: { readonly project: StoredProject; readonly slug: string },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    if (!(await deleteRow(client, { projectId: project.dsnId, slug }))) {
      throw new CodedError('not_found')
    }
    await addAudit(client, actor, {
      action: 'monitor.deleted',
      subjectType: 'monitor',
      subjectId: slug,
      details: { project_id: project.id },
    })
  })
}
