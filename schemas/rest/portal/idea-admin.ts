/** Ideas as the team reads and changes them (http-api: portal administration). */
import { z } from 'zod'
import { plainText } from '../../plain-text.ts'
import { visibleText } from '../../visible-text.ts'
import { PageQuery, SearchText } from '../page.ts'
import { IdeaDescription, IdeaStatus, IdeaTag, IdeaTitle, ideaStatuses } from './idea.ts'
import { TagSlug, tagsPerIdeaMax } from './tag-of-idea.ts'

export const ideaResponseCharactersMax = 5_000

export const Moderation = z.enum(['published', 'pending', 'rejected'])

export const AdminIdeaQuery = z.object({
  ...PageQuery,
  sort: z.enum(['newest', 'votes']).default('newest'),
  status: IdeaStatus.optional(),
  moderation: Moderation.optional(),
  tag: z.string().max(200).optional(),
  search: SearchText.optional(),
})
export type AdminIdeaQuery = z.infer<typeof AdminIdeaQuery>

/** Null: the team. */
export const AdminAuthor = z
  .object({
    id: z.string(),
    enduser_id: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
  })
  .nullable()

export const AdminIdea = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    status: IdeaStatus,
    moderation: Moderation,
    tags: z.array(IdeaTag),
    vote_count: z.number().int(),
    comment_count: z.number().int(),
    author: AdminAuthor.describe('Null: written by the team.'),
    response: z
      .object({ body: z.string(), author_name: z.string().nullable(), created_at: z.string() })
      .nullable(),
    duplicate_of: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'AdminIdea',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      title: 'Dark mode',
      description: 'Easier on the eyes at night.',
      status: 'Open',
      moderation: 'published',
      tags: [],
      vote_count: 42,
      comment_count: 3,
      author: {
        id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e11',
        enduser_id: 'user-17',
        name: 'Ada',
        email: 'ada@example.com',
      },
      response: null,
      duplicate_of: null,
      created_at: '2026-11-01T12:00:00.000Z',
      updated_at: '2026-11-01T12:00:00.000Z',
    },
  })
export type AdminIdea = z.infer<typeof AdminIdea>

export const AdminIdeaDetail = AdminIdea.extend({
  duplicates: z.array(z.object({ id: z.string(), title: z.string() })),
  events: z.array(
    z.object({
      kind: z.string(),
      from_status: IdeaStatus.nullable(),
      to_status: IdeaStatus.nullable(),
      actor: z.string().nullable(),
      details: z.record(z.string(), z.unknown()),
      at: z.string(),
    }),
  ),
}).meta({ id: 'AdminIdeaDetail' })

export const OwnStatus = z.enum(ideaStatuses).exclude(['Duplicate'])
export type OwnStatus = z.infer<typeof OwnStatus>

export const TagSlugs = z
  .array(TagSlug)
  .max(tagsPerIdeaMax)
  .transform((slugs) => [...new Set(slugs)])

const Response = visibleText(ideaResponseCharactersMax)

export const NewTeamIdea = z
  .strictObject({
    title: IdeaTitle,
    description: IdeaDescription,
    status: OwnStatus.default('Open'),
    tags: TagSlugs.default([]),
  })
  .meta({
    id: 'NewTeamIdea',
    example: {
      title: 'Dark mode',
      description: 'A dark colour scheme for working at night.',
      status: 'Planned',
      tags: ['design'],
    },
  })

export type NewTeamIdea = z.infer<typeof NewTeamIdea>

export const IdeaChange = z
  .strictObject({
    title: IdeaTitle,
    description: IdeaDescription,
    status: OwnStatus.describe(
      'For a duplicate, also undoes its merge. Only a merge sets `Duplicate`.',
    ),
    tags: TagSlugs.describe('Replaces all tags of the idea.'),
    response: Response.nullable().describe('The official response; null removes it.'),
  })
  .partial()
  .meta({
    id: 'IdeaChange',
    example: { status: 'Planned', response: 'Coming with the next version.' },
  })
export type IdeaChange = z.infer<typeof IdeaChange>

const id = z.guid('must be the id of an idea').toLowerCase()
export const IdeaMerge = z
  .strictObject({ into: id.describe('The idea that gets the votes.') })
  .meta({ id: 'IdeaMerge', example: { into: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10' } })

export const MergePreview = z
  .object({
    into: z.string(),
    votes: z.number().int().describe('Votes of both ideas together, each voter once.'),
    shared: z.number().int().describe('Number of users who voted for both ideas.'),
  })
  .meta({ id: 'MergePreview', example: { into: '019ab2c4-…', votes: 50, shared: 4 } })

export const Voter = z
  .object({
    enduser_id: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    via_idea_id: z
      .string()
      .nullable()
      .describe('The duplicate for which the user voted; null: this idea.'),
    cast_by: z
      .string()
      .nullable()
      .describe('The person of the team who voted for the user, and the note.'),
    voted_at: z.string(),
  })
  .meta({
    id: 'Voter',
    example: {
      enduser_id: 'user-17',
      name: 'Ada',
      email: 'ada@example.com',
      via_idea_id: null,
      cast_by: null,
      voted_at: '2026-11-01T12:00:00.000Z',
    },
  })
export type Voter = z.infer<typeof Voter>

export const VoteOnBehalf = z
  .strictObject({
    enduser_id: plainText(255).pipe(z.string().min(1)),
    enduser_email: z.string().max(320).optional(),
    note: plainText(200).optional().describe('Why the vote was added; only the team reads it.'),
  })
  .meta({ id: 'VoteOnBehalf', example: { enduser_id: 'user-17', note: 'Asked for it by phone' } })
export type VoteOnBehalf = z.infer<typeof VoteOnBehalf>
