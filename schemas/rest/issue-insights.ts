/** What an issue looks like beside others: similar issues, its users and its grouping hashes. */
import { z } from 'zod'
import { IssueStatus } from './issue.ts'

export const similarIssuesMax = 10
/** The issues seen last that are compared with one. */
export const similarCandidatesMax = 3_000
export const issueUsersMax = 100

export const similarityReasons = ['exception_type', 'culprit', 'title'] as const

const NamedIssue = z.object({ id: z.uuid(), short_id: z.string(), title: z.string() })

export const SimilarIssue = NamedIssue.extend({
  culprit: z.string(),
  level: z.string(),
  status: IssueStatus,
  count: z.number().int(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  similarity: z.number().min(0).max(1).describe('Of the titles: 1 is the same.'),
  reasons: z.array(z.enum(similarityReasons)).describe('What is the same or, for titles, near.'),
}).meta({ id: 'SimilarIssue' })
export type SimilarIssue = z.infer<typeof SimilarIssue>

export const SimilarIssueList = z.object({
  items: z.array(SimilarIssue).describe(`The most similar first, at most ${similarIssuesMax}.`),
  next_cursor: z.null(),
})

export const IssueUserQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(issueUsersMax).default(20),
})
export type IssueUserQuery = z.infer<typeof IssueUserQuery>

export const IssueUser = z
  .object({
    id: z.string().nullable(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    ip: z.string().nullable(),
    count: z.number().int().describe('Events, including those that sampling did not store.'),
    first_seen: z.iso.datetime().describe('Of the stored events.'),
    last_seen: z.iso.datetime(),
    latest_event_id: z.string(),
  })
  .meta({ id: 'IssueUser' })
export type IssueUser = z.infer<typeof IssueUser>

export const IssueUserList = z.object({
  items: z.array(IssueUser).describe('Those with the most events first.'),
  next_cursor: z.null(),
  total: z.number().int().describe('All users of stored events.'),
})
export type IssueUserList = z.infer<typeof IssueUserList>

export const IssueHash = z
  .object({
    hash: z.string().describe('For `POST …/unmerge`.'),
    title: z.string().nullable().describe('Of its latest event.'),
    culprit: z.string().nullable(),
    level: z.string().nullable(),
    summary: z.string().describe('Why these events are one group.'),
    count: z.number().int(),
    first_seen: z.iso.datetime(),
    last_seen: z.iso.datetime().nullable(),
    came_from: NamedIssue.nullable().describe(
      'The merged issue that `unmerge` gives the hash back to. Null: it becomes a new issue.',
    ),
  })
  .meta({ id: 'IssueHash' })
export type IssueHash = z.infer<typeof IssueHash>

export const IssueHashList = z.object({
  items: z.array(IssueHash).describe('Those with the most events first, at most 300.'),
  next_cursor: z.null(),
})

/** Another word is a path that does not exist. */
export const IssueEventPlace = z.enum(['latest', 'oldest', 'recommended'])
export type IssueEventPlace = z.infer<typeof IssueEventPlace>
