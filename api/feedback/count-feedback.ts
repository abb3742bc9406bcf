import type { z } from 'zod'
import {
  type FeedbackStats,
  type FeedbackStatus,
  type FeedbackType,
  feedbackStatuses,
  feedbackTypes,
} from '#schemas/rest/portal/feedback.ts'
import type { Database } from '../database.ts'
import { countFeedback } from './feedback-store.ts'

/** Counts every status and type, those with 0 items too, so that a client needs no list of them. */
export async function countFeedbackBy(
  pg: Database,
  dsnId: number,
): Promise<z.infer<typeof FeedbackStats>> {
  const rows = await countFeedback(pg, dsnId)
  const live = rows.filter(({ archived }) => !archived)
  const sum = (some: typeof rows) => some.reduce((total, { count }) => total + count, 0)
  return {
    by_status: Object.fromEntries(
      feedbackStatuses.map((one) => [one, sum(live.filter(({ status }) => status === one))]),
    ) as Record<FeedbackStatus, number>,
    by_type: Object.fromEntries(
      feedbackTypes.map((one) => [one, sum(live.filter(({ type }) => type === one))]),
    ) as Record<FeedbackType, number>,
    total: sum(live),
    archived: sum(rows) - sum(live),
  }
}
