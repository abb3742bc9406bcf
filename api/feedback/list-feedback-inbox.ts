import { z } from 'zod'
import type { FeedbackItem } from '#schemas/rest/portal/feedback.ts'
import type { FeedbackInboxQuery } from '#schemas/rest/portal/feedback-inbox.ts'
import type { Postgres } from '../database.ts'
import { CursorTime, CursorUuid, decodeCursor, type Page, pageOfRows } from '../http/cursor.ts'
import { listInbox } from './feedback-inbox-store.ts'
import { feedbackItem } from './feedback-view.ts'

const Position = z.tuple([CursorTime, CursorUuid])

/** One keyset page of feedback, newest first. */
export async function listFeedbackInbox(
  pg: Postgres,
  dsnId: number,
  { cursor, limit, ...filter }: FeedbackInboxQuery,
): Promise<Page<FeedbackItem>> {
  const after = decodeCursor(cursor, Position)
  const rows = await listInbox(pg, { ...filter, dsnId, after, rowsMax: limit + 1 })
  const page = pageOfRows(rows, limit, (row) => [row.cursor_time, row.id])
  return { ...page, items: page.items.map(feedbackItem) }
}
