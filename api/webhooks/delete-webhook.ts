import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { deleteStoredWebhook } from './webhook-store.ts'

/** Deletes a webhook with its deliveries. */
export async function deleteWebhook(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { id }: { readonly id: string },
): Promise<void> {
  const { organizationId } = actor
  await ctx.pg.transaction(async (client) => {
    if (!(await deleteStoredWebhook(client, { organizationId, id }))) {
      throw new CodedError('not_found')
    }
    await addAudit(client, actor, {
      action: 'webhook.deleted',
      subjectType: 'webhook',
      subjectId: id,
    })
  })
}
