/** Teams of people, which issues are assigned to and alerts are sent to. */
import { z } from 'zod'
import { DisplayName } from './account.ts'

export const teamsPerOrganizationMax = 500
export const membersPerTeamMax = 500

export const TeamSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'must be 1 to 50 of a-z, 0-9 and dashes')
  .describe('Its name in ownership rules (`#server`) and assignments (`team:server`).')

const example = {
  id: '019ab0c4-6d10-7a51-8a6e-0c1f6a8f9b02',
  slug: 'server',
  name: 'Back end',
  member_count: 1,
  created_at: '2026-11-01T12:00:00.000Z',
}

export const TeamItem = z
  .object({
    id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    member_count: z.number().int(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'TeamItem', example })
export type TeamItem = z.infer<typeof TeamItem>

export const TeamList = z.object({ items: z.array(TeamItem), next_cursor: z.null() })

export const Team = TeamItem.extend({
  members: z.array(z.object({ id: z.uuid(), email: z.string(), name: z.string().nullable() })),
}).meta({
  id: 'Team',
  example: {
    ...example,
    members: [
      {
        id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
      },
    ],
  },
})
export type Team = z.infer<typeof Team>

export const TeamBody = z
  .strictObject({ slug: TeamSlug, name: DisplayName })
  .meta({ id: 'TeamBody', example: { slug: 'server', name: 'Back end' } })
export type TeamBody = z.infer<typeof TeamBody>

export const TeamChange = z
  .strictObject({ slug: TeamSlug.optional(), name: DisplayName.optional() })
  .refine(({ slug, name }) => (slug ?? name) !== undefined, {
    path: ['name'],
    error: 'or slug must be given',
  })
  .meta({ id: 'TeamChange', example: { name: 'Back end and data' } })
export type TeamChange = z.infer<typeof TeamChange>
