import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { findView, lockViews, removeView, type Viewer } from './view-store.ts'

/** Throws `not_found`. */
export async function deleteView(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { viewer, id }: { readonly viewer: Viewer; readonly id: string },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    await lockViews(client, viewer.projectId)
    const { name, person_id } = found(await findView(client, viewer, id))
    await removeView(client, id)
    if (person_id !== null) return
    await addAudit(client, actor, {
      action: 'view.deleted',
      subjectType: 'view',
      subjectId: id,
      details: { name },
    })
  })
}
