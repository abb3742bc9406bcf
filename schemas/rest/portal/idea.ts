/**
 * Ideas of a public portal, as visitors read and send them (portal-feedback-api: Idea, Endpoints
 * A).
 */
import { z } from 'zod'
import { visibleLine, visibleText } from '../../visible-text.ts'
import { SearchText } from '../page.ts'
import { PortalConfig } from './portal-config.ts'

export const ideaStatuses = [
  'Open',
  'Planned',
  'Started',
  'Completed',
  'Declined',
  'Duplicate',
] as const
export const IdeaStatus = z.enum(ideaStatuses)
export type IdeaStatus = z.infer<typeof IdeaStatus>

export const ideaTitleCharactersMax = 200
export const ideaDescriptionCharactersMax = 10_000
/** Default of `limit`, and length of a page of the hosted portal. */
export const ideasPerPage = 20
export const ideasPerPageMax = 100
export const ideaOffsetMax = 100_000

/** A title has one line. */
export const IdeaTitle = visibleLine(ideaTitleCharactersMax)
export const IdeaDescription = visibleText(ideaDescriptionCharactersMax)

/** Fields of a query that identify the visitor; blank is absent. */
export const ViewerQuery = {
  enduser_id: z.string().max(1_000).optional().describe('Populates `user_has_voted`.'),
  token: z.string().max(8_192).optional().describe('When valid, overrides `enduser_id`.'),
} as const

/** Fields of a body that identify the visitor. */
export const WriterBody = {
  enduser_id: z
    .string()
    .max(1_000)
    .nullish()
    .describe(
      'Any stable id of the user, 1 to 255 characters. Required unless a token identifies the user.',
    ),
  enduser_email: z.string().max(1_000).nullish().describe('Address for notifications.'),
  token: z
    .string()
    .max(8_192)
    .nullish()
    .describe('Required when end-user auth is on; ignored when it is off.'),
} as const

export const Offset = z.coerce
  .number()
  .int()
  .min(0)
  .max(ideaOffsetMax)
  .default(0)
  .describe('Number of ideas to skip.')
export const IdeasLimit = z.coerce.number().int().min(1).max(ideasPerPageMax).default(ideasPerPage)

/** Listed because `Boolean('false')` is true. */
const SortByVotes = z
  .enum(['true', 'false', '1', '0'])
  .default('true')
  .transform((text) => text === 'true' || text === '1')
  .describe('true: most voted first; false: newest first.')

export const IdeaListQuery = z.object({
  offset: Offset,
  limit: IdeasLimit,
  sort_by_votes: SortByVotes,
  ...ViewerQuery,
  tag: z.string().max(200).optional().describe('Slug of a tag.'),
  status: z
    .union([IdeaStatus, z.literal('')], { error: `must be one of ${ideaStatuses.join(', ')}` })
    .optional()
    .describe('One of the six statuses.'),
  search: SearchText.optional().describe(
    'Words of title and description; the last one may be a prefix.',
  ),
})
export type IdeaListQuery = z.infer<typeof IdeaListQuery>

export const IdeaQuery = z.object(ViewerQuery)

export const SimilarQuery = z.object({
  title: SearchText.describe('The title that is being typed.'),
  ...ViewerQuery,
})

export const IdeaTag = z.object({ slug: z.string(), name: z.string(), color: z.string() })

const exampleIdea = {
  id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
  title: 'Dark mode',
  description: 'A dark colour scheme for working at night.',
  status: 'Planned' as const,
  tags: [{ slug: 'design', name: 'Design', color: '#3355ff' }],
  vote_count: 42,
  comment_count: 3,
  user_has_voted: true,
  author_name: 'Ada',
  response: {
    body: 'Coming with the next version.',
    author_name: 'Grace',
    created_at: '2026-11-20T09:00:00.000Z',
  },
  duplicate_of: null,
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
}

export const Idea = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string().describe('Plain text; escape it before you show it.'),
    status: IdeaStatus,
    tags: z.array(IdeaTag),
    vote_count: z.number().int(),
    comment_count: z.number().int(),
    user_has_voted: z
      .boolean()
      .optional()
      .describe(
        'Present only if the request identifies the visitor. For a duplicate: whether the visitor voted for the idea that it was merged into.',
      ),
    author_name: z.string().nullable(),
    response: z
      .object({ body: z.string(), author_name: z.string().nullable(), created_at: z.string() })
      .nullable()
      .describe("The team's official answer."),
    duplicate_of: z.string().nullable().describe('The idea that this one was merged into.'),
    created_at: z.string(),
    updated_at: z.string(),
    moderation: z
      .literal('pending')
      .optional()
      .describe('Not approved yet; only its author sees it.'),
  })
  .meta({ id: 'Idea', example: exampleIdea })
export type Idea = z.infer<typeof Idea>

export const IdeaList = z
  .object({
    items: z.array(Idea),
    has_more: z.boolean(),
    total: z.number().int().describe('Number of ideas that match the filters.'),
    portal_config: PortalConfig.optional(),
  })
  .meta({ id: 'IdeaList', example: { items: [exampleIdea], has_more: false, total: 1 } })

export const IdeaReply = z
  .object({ feature: Idea, portal_config: PortalConfig.optional() })
  .meta({ id: 'IdeaReply', example: { feature: exampleIdea } })

export const SimilarIdeas = z
  .object({ items: z.array(Idea).describe('At most five ideas, most similar first.') })
  .meta({ id: 'SimilarIdeas', example: { items: [exampleIdea] } })

export const Suggestion = z
  .object({ title: IdeaTitle, description: IdeaDescription, ...WriterBody })
  .meta({
    id: 'Suggestion',
    example: {
      title: 'Dark mode',
      description: 'A dark colour scheme for working at night.',
      enduser_id: 'user-17',
      enduser_email: 'ada@example.com',
    },
  })

export const SuggestionReply = z
  .object({ idea_id: z.string() })
  .meta({ id: 'SuggestionReply', example: { idea_id: exampleIdea.id } })

export const IdeaStats = z
  .object({
    counts: z
      .array(z.object({ status: IdeaStatus, count: z.number().int() }))
      .describe('Statuses that at least one idea has.'),
    total: z.number().int(),
  })
  .meta({
    id: 'IdeaStats',
    example: {
      counts: [
        { status: 'Open', count: 12 },
        { status: 'Planned', count: 3 },
      ],
      total: 15,
    },
  })

export const IdeaTimeline = z
  .object({
    items: z.array(
      z.object({
        kind: z.enum(['created', 'status', 'response', 'merged', 'unmerged']),
        from_status: IdeaStatus.nullable(),
        to_status: IdeaStatus.nullable(),
        at: z.string(),
      }),
    ),
  })
  .meta({
    id: 'IdeaTimeline',
    example: {
      items: [
        {
          kind: 'status',
          from_status: 'Open',
          to_status: 'Planned',
          at: '2026-11-20T09:00:00.000Z',
        },
      ],
    },
  })
