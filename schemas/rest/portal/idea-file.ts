/** An idea of a file after its columns are mapped, and the report of an import. */
import { z } from 'zod'
import { plainText, storableCharacters } from '../../plain-text.ts'
import { visibleText } from '../../visible-text.ts'
import { IdeaDescription, IdeaStatus, IdeaTitle } from './idea.ts'
import { ideaResponseCharactersMax, OwnStatus } from './idea-admin.ts'
import { TagSlug, tagsPerIdeaMax } from './tag-of-idea.ts'

export const importedVotesMax = 10_000_000
export const votersPerIdeaMax = 1_000_000
export const commentsPerIdeaMax = 100_000
const eventsPerIdeaMax = 10_000
/** Longer than in the portal, because other services allow more. */
const fileCommentCharactersMax = 50_000

/** Not trimmed or normalized: ids of two users may differ in that only. */
const UserId = z
  .string()
  .transform(storableCharacters)
  .pipe(z.string().max(255).regex(/\S/, 'must not be blank'))
const Name = z.string().nullish()
const Email = z.string().max(320).nullish()
/** ISO 8601 with microseconds, of `parseFileTime`. */
const Time = z.string()

const eventKinds = [
  'created',
  'status',
  'response',
  'merged',
  'unmerged',
  'approved',
  'rejected',
  'edited',
  'tagged',
] as const

export const FileVoter = z.object({
  enduser_id: UserId,
  voted_at: Time.nullish(),
  email: Email,
  cast_by: plainText(1_000).nullish(),
  via_idea_id: z.string().nullish(),
})
export const FileComment = z.object({
  id: z.string().nullish(),
  parent_id: z.string().nullish(),
  body: z.string().max(fileCommentCharactersMax),
  author_id: UserId.nullish(),
  author_name: Name,
  author_email: Email,
  is_team: z.boolean().default(false),
  moderation: z.enum(['published', 'pending', 'rejected']).default('published'),
  deleted_at: Time.nullish(),
  created_at: Time.nullish(),
  updated_at: Time.nullish(),
})
export const FileEvent = z.object({
  kind: z.enum(eventKinds),
  from_status: IdeaStatus.nullish(),
  to_status: IdeaStatus.nullish(),
  actor: plainText(400).nullish(),
  details: z.record(z.string(), z.unknown()).default({}),
  at: Time,
})
export const FileUser = z.object({
  enduser_id: UserId,
  name: Name,
  email: Email,
  email_source: z.enum(['token', 'typed']).nullish(),
  trusted: z.boolean().default(false),
  blocked_at: Time.nullish(),
  created_at: Time.nullish(),
  last_seen_at: Time.nullish(),
})
/** An address that gets no email about ideas. */
export const FileOptout = z.object({
  email: z.string().min(1).max(320),
  reason: z.enum(['stop', 'not_me']),
  at: Time.nullish(),
})
export const FileTag = z.object({
  slug: TagSlug,
  name: z.string().min(1).max(200),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .default('#6b7280'),
  position: z.number().int().min(0).max(10_000).default(0),
})

/** Lists that may have thousands of items: an import validates each item, in slices. */
export const fileLists = {
  voters: { item: FileVoter, max: votersPerIdeaMax },
  comments: { item: FileComment, max: commentsPerIdeaMax },
  events: { item: FileEvent, max: eventsPerIdeaMax },
  users: { item: FileUser, max: votersPerIdeaMax },
  notice_optouts: { item: FileOptout, max: votersPerIdeaMax },
} as const

export const FileIdea = z.object({
  id: z.string().max(200).nullish(),
  title: IdeaTitle,
  description: IdeaDescription,
  status: IdeaStatus,
  status_before_merge: OwnStatus.nullish(),
  moderation: z.enum(['published', 'pending', 'rejected']).default('published'),
  tags: z
    .array(z.string().min(1).max(200))
    .max(tagsPerIdeaMax, `must be at most ${tagsPerIdeaMax}`)
    .default([]),
  tag_details: z.array(FileTag).max(tagsPerIdeaMax).default([]),
  imported_votes: z
    .number('must be a number of votes')
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(importedVotesMax, `must be at most ${importedVotesMax}`)
    .default(0),
  author_id: UserId.nullish(),
  author_name: Name,
  author_email: Email,
  response: visibleText(ideaResponseCharactersMax).nullish(),
  response_by: Name,
  response_at: Time.nullish(),
  duplicate_of: z.string().nullish(),
  created_at: Time.nullish(),
  updated_at: Time.nullish(),
  voters: z.array(FileVoter).max(votersPerIdeaMax).default([]),
  comments: z.array(FileComment).max(commentsPerIdeaMax).default([]),
  events: z.array(FileEvent).max(eventsPerIdeaMax).default([]),
  users: z.array(FileUser).max(votersPerIdeaMax).default([]),
  notice_optouts: z.array(FileOptout).max(votersPerIdeaMax).default([]),
})
export type FileIdea = z.infer<typeof FileIdea>
export type FileUser = z.infer<typeof FileUser>
export type FileVoter = z.infer<typeof FileVoter>
export type FileOptout = z.infer<typeof FileOptout>
export type FileTag = z.infer<typeof FileTag>

const told = z.array(z.object({ row: z.number().int(), field: z.string(), rule: z.string() }))

export const ImportReport = z
  .object({
    read: z.number().int(),
    imported: z.number().int(),
    known: z.number().int().describe('Rows whose idea exists already and stays unchanged.'),
    skipped: z.number().int().describe('Rows that were skipped; each is in `problems`.'),
    problems: told,
    notes: told.describe('Values of imported rows that were changed.'),
    ignored_columns: z.array(z.string()).describe('Columns that were not imported.'),
    unknown_tags: z.array(z.string()).describe('Create them with create_tags=true.'),
    created_tags: z.array(z.string()),
    unknown_statuses: z.array(z.string()).describe('Map them to statuses with status_map.'),
    mapped_statuses: z.record(z.string(), IdeaStatus),
    dry_run: z.boolean(),
  })
  .meta({
    id: 'IdeaImportReport',
    example: {
      read: 3,
      imported: 2,
      known: 0,
      skipped: 1,
      problems: [{ row: 3, field: 'status', rule: 'unknown status "In QA"' }],
      notes: [],
      ignored_columns: ['board'],
      unknown_tags: [],
      created_tags: ['design'],
      unknown_statuses: ['In QA'],
      mapped_statuses: { 'in progress': 'Started' },
      dry_run: false,
    },
  })
export type ImportReport = z.infer<typeof ImportReport>
