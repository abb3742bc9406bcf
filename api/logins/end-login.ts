import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { deleteLoginOf } from './login-store.ts'

/** Ends one login of a person. */
export async function endLogin(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  { personId, loginId }: { readonly personId: string; readonly loginId: string },
): Promise<void> {
  await ctx.pg.transaction(async (client) => {
    if (!(await deleteLoginOf(client, { personId, loginId }))) throw new CodedError('not_found')
    await addAudit(client, actor, {
      action: 'person.login_ended',
      subjectType: 'person',
      subjectId: personId,
      details: { login_id: loginId },
    })
  })
}
