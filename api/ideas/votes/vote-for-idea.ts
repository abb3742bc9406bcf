/** Adds the vote of a visitor. */
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import { requireUuid } from '../../http/route.ts'
import { type UserClaim, writerOf } from '../../portal/gate/enduser.ts'
import { addVote, votingTransaction } from './vote-store.ts'

export function voteForIdea(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  claim: UserClaim,
  /** `ideaId`: as the path has it. */
  { ideaId }: { readonly ideaId: string },
): Promise<'created' | 'already_voted'> {
  const { projectId } = claim.portal
  return votingTransaction(ctx.pg, async (pg) => {
    const voter = await writerOf(pg, ctx, claim)
    const vote = { projectId, ideaId: requireUuid(ideaId), enduserId: voter.id }
    const result = await addVote(pg, { ...vote, email: voter.emailOfThis })
    // The error rolls back what the transaction has stored about the user.
    if (result === 'not_found') throw new CodedError('not_found')
    return result
  })
}
