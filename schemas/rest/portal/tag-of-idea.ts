/** Tags of ideas. The team creates them; visitors filter ideas by them. */
import { z } from 'zod'
import { visibleLine } from '../../visible-text.ts'

export const tagsPerProjectMax = 100
export const tagsPerIdeaMax = 10

export const TagSlug = z
  .string()
  .regex(/^[a-z0-9-]{1,50}$/, 'must be 1 to 50 lowercase letters, digits or hyphens')
export const TagName = visibleLine(50)
const TagColor = z
  .string()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'must be a colour like #1a2b3c')

export const TagOfIdea = z
  .object({
    slug: z.string(),
    name: z.string(),
    color: z.string(),
    idea_count: z.number().int().describe('Number of published ideas with this tag.'),
  })
  .meta({
    id: 'TagOfIdea',
    example: { slug: 'design', name: 'Design', color: '#3355ff', idea_count: 12 },
  })

export const TagsOfIdeas = z.object({ tags: z.array(TagOfIdea) }).meta({
  id: 'TagsOfIdeas',
  example: { tags: [{ slug: 'design', name: 'Design', color: '#3355ff', idea_count: 12 }] },
})

export const NewTag = z
  .strictObject({
    slug: TagSlug,
    name: TagName,
    color: TagColor.default('#6b7280'),
    position: z.number().int().min(0).max(10_000).default(0),
  })
  .meta({
    id: 'NewTag',
    example: { slug: 'design', name: 'Design', color: '#3355ff', position: 1 },
  })
export type NewTag = z.infer<typeof NewTag>

/** The slug cannot be changed, because links and filters contain it. */
export const TagChange = z
  .strictObject({ name: TagName, color: TagColor, position: z.number().int().min(0).max(10_000) })
  .partial()
  .meta({ id: 'TagChange', example: { name: 'Look and feel' } })
export type TagChange = z.infer<typeof TagChange>

export const PortalTag = TagOfIdea.extend({ position: z.number().int() }).meta({
  id: 'PortalTag',
  example: { slug: 'design', name: 'Design', color: '#3355ff', idea_count: 12, position: 1 },
})
