/** Adds the vote of a user who asked for it outside the portal. */
import { v7 as uuidv7 } from 'uuid'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { VoteOnBehalf } from '#schemas/rest/portal/idea-admin.ts'
import { type Actor, addAudit } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import type { IdeaName } from '../idea-store.ts'
import { ensureEndUser } from './vote-list-store.ts'
import { addVote, votingTransaction } from './vote-store.ts'

export function voteOnBehalf(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { projectId, ideaId, vote }: IdeaName & { readonly vote: VoteOnBehalf },
): Promise<'created' | 'already_voted'> {
  const { enduser_id: enduserId, enduser_email, note } = vote
  const email = emailIn(enduser_email)
  const castBy = note ? `${actor.name}: ${note}` : actor.name
  return votingTransaction(ctx.pg, async (pg) => {
    const now = new Date(ctx.clock.nowMs())
    const user = await ensureEndUser(pg, { id: uuidv7(), projectId, enduserId, now })
    const result = await addVote(pg, { projectId, ideaId, enduserId: user, email, castBy })
    if (result === 'not_found') throw new CodedError('not_found')
    await addAudit(pg, actor, {
      action: 'vote.cast',
      subjectType: 'idea',
      subjectId: ideaId,
      details: { enduser_id: enduserId, note },
    })
    return result
  })
}

function emailIn(text: string | undefined): string | null {
  if (text === undefined || text.trim() === '') return null
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('enduser_email', parsed.rule)
  return parsed.email
}
