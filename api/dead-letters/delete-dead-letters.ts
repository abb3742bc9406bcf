import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { type ActorOf, auditDeadLetters } from './audit-dead-letters.ts'
import {
  changedDeadLettersMax,
  countDeadLetters,
  type DeadLetterFilter,
  dropDeadLetters,
  findDeadLetter,
} from './dead-letter-store.ts'

export interface DeletedDeadLetters {
  readonly dropped: number
  /** Not deleted, because a retry is under way. */
  readonly retrying: number
  /** Others beyond the number that one call deletes. */
  readonly left: number
}

/** Deletes dead letters permanently, at most `changedDeadLettersMax` per call. */
export async function deleteDeadLetters(
  ctx: Pick<ApiContext, 'pg'>,
  actorOf: ActorOf,
  filter: DeadLetterFilter,
): Promise<DeletedDeadLetters> {
  if (filter.id !== undefined) await requireNotRetrying(ctx, filter.id)
  return ctx.pg.transaction(async (client) => {
    const { total, retrying } = await countDeadLetters(client, filter)
    const deadLetters = await dropDeadLetters(client, filter, changedDeadLettersMax)
    await auditDeadLetters(client, actorOf, { action: 'dead_letter.dropped', filter, deadLetters })
    return {
      dropped: deadLetters.length,
      retrying,
      left: Math.max(0, total - retrying - deadLetters.length),
    }
  })
}

async function requireNotRetrying({ pg }: Pick<ApiContext, 'pg'>, id: number): Promise<void> {
  const deadLetter = await findDeadLetter(pg, id)
  if (deadLetter === undefined) throw new CodedError('not_found')
  if (deadLetter.retry_requested_at === null) return
  throw new CodedError('conflict', {
    message: `Dead letter ${id} is being retried: see \`dead-letter show\`.`,
  })
}
