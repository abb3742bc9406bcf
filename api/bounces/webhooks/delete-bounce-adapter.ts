import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found, requireUuid } from '../../http/route.ts'
import { deleteBounceAdapter as deleteStored } from './bounce-adapter-store.ts'

/** Deletes a bounce adapter. Its webhook URL answers 404 from then on. */
export async function deleteBounceAdapter(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  input: { readonly id: string },
): Promise<void> {
  const { organizationId } = actor
  const id = requireUuid(input.id)
  await ctx.pg.transaction(async (pg) => {
    const { adapter } = found(await deleteStored(pg, { organizationId, id }))
    await addAudit(pg, actor, {
      action: 'bounce_adapter.removed',
      subjectType: 'bounce_adapter',
      subjectId: id,
      details: { adapter },
    })
  })
}
