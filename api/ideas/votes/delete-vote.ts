/** Deletes the vote of a user, as the team. */
import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { found } from '../../http/route.ts'
import { findEndUser } from '../../portal/endusers/enduser-store.ts'
import type { IdeaName } from '../idea-store.ts'
import { removeVote, votingTransaction } from './vote-store.ts'

export function deleteVote(
  ctx: Pick<ApiContext, 'pg'>,
  actor: Actor,
  /** `enduserId`: as the project calls the user. */
  { projectId, ideaId, enduserId }: IdeaName & { readonly enduserId: string },
): Promise<'removed' | 'not_voted'> {
  return votingTransaction(ctx.pg, async (pg) => {
    const user = found(await findEndUser(pg, { projectId, enduserId }))
    const result = await removeVote(pg, { projectId, ideaId, enduserId: user.id })
    if (result === 'not_found') throw new CodedError('not_found')
    await addAudit(pg, actor, {
      action: 'vote.removed',
      subjectType: 'idea',
      subjectId: ideaId,
      details: { enduser_id: enduserId },
    })
    return result
  })
}
