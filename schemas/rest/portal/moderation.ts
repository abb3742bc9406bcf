/** What waits for a moderator, and what one decides. */
import { z } from 'zod'
import { plainText } from '../../plain-text.ts'
import { PageQuery, pageOf } from '../page.ts'

const reasonCharactersMax = 1_000

export const QueueItem = z
  .object({
    kind: z.enum(['idea', 'comment']),
    id: z.string(),
    idea_id: z.string(),
    title: z.string().describe('Of the idea.'),
    text: z.string().describe('The description of the idea, or the comment.'),
    author: z
      .object({
        id: z.string(),
        enduser_id: z.string(),
        name: z.string().nullable(),
        published_count: z.number().int().describe('Ideas and comments that were let through.'),
      })
      .nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'QueueItem' })
export type QueueItem = z.infer<typeof QueueItem>

/** The total tells a moderator how much is left. */
export const QueuePage = pageOf(QueueItem).extend({ total: z.number().int() })

export const QueueQuery = z.object({
  ...PageQuery,
  kind: z.enum(['idea', 'comment']).optional(),
})

export const Decision = z
  .object({
    decision: z
      .enum(['approve', 'approve_and_trust', 'reject', 'block'])
      .describe(
        'approve_and_trust: the next ones of this user pass. block: rejects all that waits of this user, who may not write here any more.',
      ),
    reason: plainText(reasonCharactersMax).optional().describe('Why it is rejected.'),
    tell_author: z
      .boolean()
      .default(false)
      .describe('Mails the reason to the author of a rejected idea who left an address.'),
  })
  .meta({ id: 'ModeratorDecision', example: { decision: 'approve' } })
export type Decision = z.infer<typeof Decision>

export const Decided = z
  .object({ moderation: z.enum(['published', 'rejected']) })
  .meta({ id: 'Decided', example: { moderation: 'published' } })
