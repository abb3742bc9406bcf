import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { deleteProjectKey } from './dsn-key-store.ts'

/** Deletes a key. Ingest refuses it at once; events that it brought stay. */
export async function deleteDsnKey(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    if (!(await deleteProjectKey(client, { projectId, id }))) throw new CodedError('not_found')
    await addAudit(client, actor, {
      action: 'dsn_key.deleted',
      subjectType: 'dsn_key',
      subjectId: id,
      details: { project_id: projectId },
    })
  })
}
