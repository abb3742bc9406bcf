import { CodedError } from '#schemas/error-codes.ts'
import type { DeadLetterDetail } from '#schemas/rest/operation/operation-changes.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { findDeadLetter } from './dead-letter-store.ts'
import { deadLetterItem } from './list-dead-letters.ts'
import { readPayload } from './read-payload.ts'

/** @param id text of a path; what is no number is unknown */
export async function getDeadLetter(
  { pg }: Pick<ApiContext, 'pg'>,
  id: string,
): Promise<DeadLetterDetail> {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new CodedError('not_found')
  const stored = found(await findDeadLetter(pg, Number(id)))
  const { encoding, payload, isTruncated } = readPayload(stored.bytes)
  return {
    ...deadLetterItem(stored),
    header: stored.header as Record<string, unknown> | null,
    record_id: stored.record_id,
    retry_requested_at: stored.retry_requested_at?.toISOString() ?? null,
    retry_sent_at: stored.retry_sent_at?.toISOString() ?? null,
    payload: { encoding, excerpt: payload, truncated: isTruncated },
  }
}
