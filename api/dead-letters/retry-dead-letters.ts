import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import { type ActorOf, auditDeadLetters } from './audit-dead-letters.ts'
import {
  changedDeadLettersMax,
  countDeadLetters,
  type DeadLetterFilter,
  findDeadLetter,
  requestRetries,
} from './dead-letter-store.ts'

export interface RequestedRetries {
  readonly requested: number
  readonly already_retrying: number
  readonly not_retryable: number
  /** Retryable ones beyond the number that one call changes. */
  readonly left: number
}

/** Marks dead letters to be retried by the workers, at most `changedDeadLettersMax` per call. */
export async function retryDeadLetters(
  ctx: Pick<ApiContext, 'pg'>,
  actorOf: ActorOf,
  filter: DeadLetterFilter,
): Promise<RequestedRetries> {
  if (filter.id !== undefined) await requireRetryable(ctx, filter.id)
  return ctx.pg.transaction(async (client) => {
    const { total, retrying, not_retryable } = await countDeadLetters(client, filter)
    const deadLetters = await requestRetries(client, filter, changedDeadLettersMax)
    await auditDeadLetters(client, actorOf, { action: 'dead_letter.retried', filter, deadLetters })
    return {
      requested: deadLetters.length,
      already_retrying: retrying,
      not_retryable,
      left: Math.max(0, total - retrying - not_retryable - deadLetters.length),
    }
  })
}

async function requireRetryable({ pg }: Pick<ApiContext, 'pg'>, id: number): Promise<void> {
  const deadLetter = await findDeadLetter(pg, id)
  if (deadLetter === undefined) throw new CodedError('not_found')
  const { reason, kind, organization_id } = deadLetter
  if (reason === 'unreadable_frame') {
    throw notRetryable(
      `Dead letter ${id} is a frame that could not be read. Its records are not known, so it cannot be retried.`,
    )
  }
  if (kind === null) {
    throw notRetryable(
      `Dead letter ${id} was stored by a version that did not keep what a retry needs, so it cannot be retried.`,
    )
  }
  if (organization_id === null) {
    throw notRetryable(`The project of dead letter ${id} was deleted, so it cannot be retried.`)
  }
}

function notRetryable(message: string): CodedError {
  return new CodedError('conflict', { message })
}
