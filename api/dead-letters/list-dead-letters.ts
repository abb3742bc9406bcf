import { z } from 'zod'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import type { DeadLetterItem, DeadLetterQuery } from '#schemas/rest/operation/operation-changes.ts'
import type { ApiContext } from '../context.ts'
import { decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import { listDeadLetters, type StoredDeadLetter } from './dead-letter-store.ts'
import { filterOf } from './filter-dead-letters.ts'

const Position = z.tuple([z.int().min(1)])

export async function listDeadLetterPage(
  { pg }: Pick<ApiContext, 'pg'>,
  { limit, cursor, ...query }: DeadLetterQuery,
): Promise<Page<DeadLetterItem>> {
  const after = decodeCursor(cursor, Position)
  const rows = await listDeadLetters(pg, await filterOf(pg, query), limit + 1, after?.[0])
  const page = pageOfRows(rows, limit, ({ id }) => [id])
  return { ...page, items: page.items.map(deadLetterItem) }
}

export function deadLetterItem(stored: StoredDeadLetter): DeadLetterItem {
  const { id, reason, detail, kind, partition, project_uuid: project, retry_requested_at } = stored
  return {
    id,
    reason,
    state: retry_requested_at === null ? 'waiting' : 'retrying',
    retryable: kind !== null && project !== null && retry_requested_at === null,
    error: detail,
    kind,
    project: project === null ? null : { id: project, name: stored.project_name ?? '' },
    subject: ingestSubject(partition),
    partition,
    sequence: stored.stream_seq,
    size_bytes: stored.payload_bytes,
    received_at: stored.received_at?.toISOString() ?? null,
    at: stored.created_at.toISOString(),
  }
}
