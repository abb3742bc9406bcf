/** Comments on ideas, as threads (portal-feedback-api: Comment thread). */
import { z } from 'zod'
import { visibleText } from '../../visible-text.ts'
import { AddressText, IdText } from '../email/address-text.ts'

export const commentCharactersMax = 5_000
/** Replies of one top-level comment, on all levels together. */
export const repliesPerThreadMax = 500
/**
 * Deeper replies are listed below their ancestor at this depth; a top-level comment has depth 1.
 */
export const shownDepthMax = 5

const pageDefault = 20
const pageMax = 100
const offsetMax = 100_000

export const Comment = z
  .object({
    id: z.string(),
    parent_id: z
      .string()
      .nullable()
      .describe('The comment it replies to, also if it is listed below another one.'),
    body: z.string().describe('Plain text. Empty once the comment was deleted.'),
    author_name: z.string().nullable(),
    is_team: z.boolean().describe('Written by the team behind the product.'),
    created_at: z.string(),
    updated_at: z.string(),
    deleted: z.boolean().describe('Deleted; it is listed because it has replies.'),
    moderation: z
      .literal('pending')
      .optional()
      .describe('Not approved yet; only its author sees it.'),
    from_idea: z
      .object({ id: z.string(), title: z.string() })
      .optional()
      .describe('The merged idea on which it was written.'),
    reply_count: z.number().int().describe('Number of replies on all levels.'),
    get replies(): z.ZodArray<typeof Comment> {
      return z.array(Comment)
    },
  })
  .meta({
    id: 'Comment',
    example: {
      id: '0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10',
      parent_id: null,
      body: 'We would use this every day.',
      author_name: 'Ada',
      is_team: false,
      created_at: '2026-11-20T14:02:11.000Z',
      updated_at: '2026-11-20T14:02:11.000Z',
      deleted: false,
      reply_count: 0,
      replies: [],
    },
  })
export type Comment = z.infer<typeof Comment>

export const CommentPage = z.object({
  items: z.array(Comment).describe('Top-level comments with all their replies, oldest first.'),
  has_more: z.boolean(),
  total: z.number().int().describe('Top-level comments of the idea and of those merged into it.'),
})
export type CommentPage = z.infer<typeof CommentPage>

export const CommentListQuery = z.object({
  offset: z.coerce.number().int().min(0).max(offsetMax).default(0),
  limit: z.coerce.number().int().min(1).max(pageMax).default(pageDefault),
  enduser_id: z.string().max(1_000).optional().describe('Includes pending comments of this user.'),
  token: z.string().max(8_192).optional(),
})

export const CommentBody = visibleText(commentCharactersMax)

export const NewComment = z
  .object({
    body: CommentBody,
    parent_id: IdText.nullish().describe(
      'The comment to reply to; null or omitted for a top-level comment.',
    ),
    enduser_id: z
      .string()
      .max(1_000)
      .nullish()
      .describe('Any stable id of 1 to 255 characters. Not needed with a valid token.'),
    enduser_email: AddressText.nullish().describe('Is notified of replies.'),
    token: z
      .string()
      .max(8_192)
      .nullish()
      .describe('Signed token; required while end-user auth is on.'),
  })
  .meta({
    id: 'NewComment',
    example: {
      body: 'We would use this every day.',
      enduser_id: 'user-42',
      enduser_email: 'ada@example.com',
    },
  })

export const CommentCreated = z
  .object({ comment_id: z.string() })
  .meta({ example: { comment_id: '0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10' } })
