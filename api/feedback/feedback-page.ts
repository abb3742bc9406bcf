import type { FeedbackListQuery, FeedbackPage } from '#schemas/rest/portal/feedback.ts'
import type { Postgres } from '../database.ts'
import { listFeedback } from './feedback-store.ts'
import { feedbackItem } from './feedback-view.ts'

/** One page of the list with its pagination, for scripts and people alike. */
export async function feedbackPage(
  pg: Postgres,
  dsnId: number,
  { page, limit, ...filter }: FeedbackListQuery,
): Promise<FeedbackPage> {
  const { items, total } = await listFeedback(pg, {
    dsnId,
    filter,
    offset: (page - 1) * limit,
    limit,
  })
  return {
    feedback: items.map(feedbackItem),
    pagination: { page, limit, total, total_pages: Math.ceil(total / limit) },
  }
}
