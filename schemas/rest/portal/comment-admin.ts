/** Comments of a portal as the team lists them (http-api: portal administration). */
import { z } from 'zod'
import { PageQuery, SearchText } from '../page.ts'
import { AdminAuthor, Moderation } from './idea-admin.ts'

const uuid = z.guid('must be an id').toLowerCase()

export const AdminCommentQuery = z.object({
  ...PageQuery,
  moderation: Moderation.optional(),
  idea_id: uuid
    .optional()
    .describe('Comments written on this idea, without those of its duplicates.'),
  author: z
    .union([z.literal('team'), uuid], 'must be `team` or the id of a portal user')
    .optional()
    .describe('`team`, or the `id` of a portal user.'),
  search: SearchText.optional().describe('Text that the comment contains.'),
})
export type AdminCommentQuery = z.infer<typeof AdminCommentQuery>

export const AdminComment = z
  .object({
    id: z.string(),
    idea: z.object({ id: z.string(), title: z.string() }),
    parent_id: z.string().nullable().describe('The comment it replies to.'),
    body: z.string(),
    author: AdminAuthor.describe('Null: written by the team, or the user was erased.'),
    author_name: z.string().nullable().describe('The name that visitors see.'),
    is_team: z.boolean(),
    moderation: Moderation,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'AdminComment',
    example: {
      id: '0198c1a2-7d3e-7b11-9c55-2f0a6f1f4e10',
      idea: { id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10', title: 'Dark mode' },
      parent_id: null,
      body: 'We would use this every day.',
      author: {
        id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e11',
        enduser_id: 'user-17',
        name: 'Ada',
        email: 'ada@example.com',
      },
      author_name: 'Ada',
      is_team: false,
      moderation: 'published',
      created_at: '2026-11-20T14:02:11.000Z',
      updated_at: '2026-11-20T14:02:11.000Z',
    },
  })
export type AdminComment = z.infer<typeof AdminComment>
