import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { deleteOtherLogins } from './login-store.ts'

/** Ends all logins of a person except one. */
export async function endOtherLogins(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { personId, keptId }: { readonly personId: string; readonly keptId: string },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    await deleteOtherLogins(client, { personId, keptId })
    await addAudit(client, actor, {
      action: 'person.logins_ended',
      subjectType: 'person',
      subjectId: personId,
    })
  })
}
