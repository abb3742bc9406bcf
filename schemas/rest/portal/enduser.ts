/** Users of a portal, for the team. */
import { z } from 'zod'
import { PageQuery, pageOf, SearchText } from '../page.ts'

export const PortalUser = z
  .object({
    id: z.string(),
    enduser_id: z
      .string()
      .describe('The id that the project, or `sub` of the token, gives the user.'),
    email: z.string().nullable(),
    email_source: z
      .enum(['token', 'typed'])
      .nullable()
      .describe('token: signed by the site. typed: unconfirmed.'),
    name: z.string().nullable(),
    trusted: z.boolean().describe('Ideas and comments are published without moderation.'),
    blocked_at: z.string().nullable(),
    idea_count: z.number().int(),
    vote_count: z.number().int(),
    comment_count: z.number().int(),
    created_at: z.string(),
    last_seen_at: z.string(),
  })
  .meta({ id: 'PortalUser' })
export type PortalUser = z.infer<typeof PortalUser>

export const PortalUserPage = pageOf(PortalUser)

export const PortalUserQuery = z.object({
  ...PageQuery,
  search: SearchText.optional().describe('A part of the id, the address or the name.'),
  blocked: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
})

export const PortalUserChange = z
  .object({ trusted: z.boolean(), blocked: z.boolean() })
  .partial()
  .meta({ id: 'PortalUserChange', example: { blocked: true } })
