/** Withdraws the vote of a visitor. */
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import { requireUuid } from '../../http/route.ts'
import { type UserClaim, writerOf } from '../../portal/gate/enduser.ts'
import { removeVote, votingTransaction } from './vote-store.ts'

export function withdrawVote(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  claim: UserClaim,
  /** `ideaId`: as the path has it. */
  { ideaId }: { readonly ideaId: string },
): Promise<'removed' | 'not_voted'> {
  const { projectId } = claim.portal
  return votingTransaction(ctx.pg, async (pg) => {
    const voter = await writerOf(pg, ctx, claim)
    const vote = { projectId, ideaId: requireUuid(ideaId), enduserId: voter.id }
    const result = await removeVote(pg, vote)
    // The error rolls back what the transaction has stored about the user.
    if (result === 'not_found') throw new CodedError('not_found')
    return result
  })
}
