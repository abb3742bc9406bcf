/** Pending ideas and comments, and the decisions of moderators. */
import { z } from 'zod'
import { plainText } from '../../plain-text.ts'
import { PageQuery, pageOf } from '../page.ts'

const reasonCharactersMax = 1_000

export const QueueItem = z
  .object({
    kind: z.enum(['idea', 'comment']),
    id: z.string(),
    idea_id: z.string(),
    title: z.string().describe('Title of the idea, or of the idea of the comment.'),
    text: z.string().describe('Description of the idea, or text of the comment.'),
    author: z
      .object({
        id: z.string(),
        enduser_id: z.string(),
        name: z.string().nullable(),
        published_count: z.number().int().describe('Published ideas and comments of the author.'),
      })
      .nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'QueueItem' })
export type QueueItem = z.infer<typeof QueueItem>

export const QueuePage = pageOf(QueueItem).extend({
  total: z.number().int().describe('Pending items of the wanted kind.'),
})

export const QueueQuery = z.object({
  ...PageQuery,
  kind: z.enum(['idea', 'comment']).optional(),
})

export const Decision = z
  .object({
    decision: z
      .enum(['approve', 'approve_and_trust', 'reject', 'block'])
      .describe(
        'approve_and_trust also publishes later ideas and comments of the user without moderation. block also rejects everything of the user that is pending, and the user cannot write any more.',
      ),
    reason: plainText(reasonCharactersMax)
      .optional()
      .describe('Reason of a rejection, for the history and the author.'),
    tell_author: z
      .boolean()
      .default(false)
      .describe('Sends the reason to the author of a rejected idea, if there is an email address.'),
  })
  .meta({ id: 'ModeratorDecision', example: { decision: 'approve' } })
export type Decision = z.infer<typeof Decision>

export const Decided = z
  .object({ moderation: z.enum(['published', 'rejected']) })
  .meta({ id: 'Decided', example: { moderation: 'published' } })
