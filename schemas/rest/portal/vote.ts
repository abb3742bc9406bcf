/** Votes on ideas (portal-feedback-api: Vote moves). */
import { z } from 'zod'
import { WriterBody } from './idea.ts'

export const VoteBody = z
  .object(WriterBody)
  .meta({ id: 'VoteBody', example: { enduser_id: 'user-17', enduser_email: 'ada@example.com' } })

export const VoteReply = z
  .object({ result: z.enum(['created', 'already_voted']) })
  .meta({ id: 'VoteReply', example: { result: 'created' } })

export const UnvoteReply = z
  .object({ result: z.enum(['removed', 'not_voted']) })
  .meta({ id: 'UnvoteReply', example: { result: 'removed' } })
