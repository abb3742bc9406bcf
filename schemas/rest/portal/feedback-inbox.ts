/** The list of feedback that people work through: keyset pages, filters by what it is about. */
import { z } from 'zod'
import { FilterText, PageQuery, pageOf } from '../page.ts'
import { FeedbackFilter, FeedbackItem, FeedbackStatus, feedbackStatuses } from './feedback.ts'

const statusListCharactersMax = 100

const StatusList = z
  .string()
  .max(statusListCharactersMax)
  .transform((text, context) => {
    const names = new Set(text.split(',').map((name) => name.trim()))
    const listed = z
      .array(FeedbackStatus)
      .min(1)
      .safeParse([...names])
    if (listed.success) return listed.data
    const message = `must be a list of ${feedbackStatuses.join(', ')}`
    context.addIssue({ code: 'custom', message, input: text })
    return z.NEVER
  })
  .describe('Statuses, separated by commas.')

export const FeedbackInboxQuery = z.object({
  ...PageQuery,
  ...FeedbackFilter.pick({ type: true, search: true, archived: true, issue_id: true }).shape,
  status: StatusList.optional(),
  person: FilterText.optional().describe(
    'Feedback of the person with this email address, or this id on the portal, only.',
  ),
  version: FilterText.optional().describe('Feedback about this release only.'),
})
export type FeedbackInboxQuery = z.infer<typeof FeedbackInboxQuery>

export const FeedbackInbox = pageOf(FeedbackItem)
