/** Merging, unmerging, bulk updates and deletion of issues (http-api: Issues). */
import { z } from 'zod'
import { IssueChange, IssueItem } from './issue.ts'
import { Instant, SearchQueryText } from './page.ts'

/** The hashes of one issue must fit into one query. */
export const hashesPerIssueMax = 300
export const bulkIdsMax = 1_000
/** Issues that one request with a query changes. */
export const bulkIssuesMax = 10_000

const uuid = z.guid('must be the id of an issue').toLowerCase()

export const IssueMerge = z
  .strictObject({ into: uuid.describe('The issue that gets the events of this one.') })
  .meta({ id: 'IssueMerge', example: { into: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10' } })

const Hash = z
  .string()
  .toLowerCase()
  .transform((text) => text.replaceAll('-', ''))
  .pipe(z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits'))

export const IssueUnmerge = z
  .strictObject({
    hashes: z
      .array(Hash)
      .min(1)
      .max(hashesPerIssueMax)
      .describe('Hashes from `grouping.hashes` of the issue. The issue must keep at least one.'),
  })
  .meta({ id: 'IssueUnmerge', example: { hashes: ['6b1f0c2d9e8a4b7c8d9e0f1a2b3c4d5e'] } })

export const IssueSplit = z
  .object({
    issue: IssueItem.describe('The issue that the hashes were taken from.'),
    issues: z
      .array(IssueItem)
      .describe('The issues that have the hashes now: former ones, or a new one.'),
  })
  .meta({ id: 'IssueSplit' })

export const BulkChange = z
  .strictObject({
    ids: z.array(uuid).min(1).max(bulkIdsMax).optional(),
    query: SearchQueryText.optional().describe(
      'A search query as in the list of issues. An empty query matches all issues.',
    ),
    since: Instant.optional().describe(
      'With `query`: only issues and events seen at or after this time.',
    ),
    change: IssueChange,
  })
  .refine(({ ids, query }) => (ids === undefined) !== (query === undefined), {
    path: ['ids'],
    error: 'or query must be given, and not both',
  })
  .refine(({ query, since }) => query !== undefined || since === undefined, {
    path: ['since'],
    error: 'must come with query',
  })
  .meta({
    id: 'BulkChange',
    example: { query: 'level:warning', change: { status: 'resolved' } },
  })
export type BulkChange = z.infer<typeof BulkChange>

export const BulkReply = z
  .object({
    matched: z.number().int(),
    changed: z.number().int(),
    unchanged: z.number().int().describe('Matched issues that had the status already.'),
    missing: z.array(z.string()).describe('Given ids of unknown or merged issues.'),
    more: z
      .boolean()
      .describe(`The query matches more than ${bulkIssuesMax} issues; the others are unchanged.`),
  })
  .meta({ id: 'BulkReply' })
export type BulkReply = z.infer<typeof BulkReply>

export const IssueCountQuery = z.strictObject({
  query: SearchQueryText.optional().describe(
    'A search query as in the list of issues. An empty query matches all issues.',
  ),
  since: Instant.optional().describe('Only issues and events seen at or after this time.'),
})
export type IssueCountQuery = z.infer<typeof IssueCountQuery>

export const IssueCount = z
  .object({
    count: z.number().int().describe(`At most ${bulkIssuesMax}.`),
    is_exact: z.boolean().describe('False: more issues match.'),
  })
  .meta({ id: 'IssueCount', example: { count: 1_284, is_exact: true } })
export type IssueCount = z.infer<typeof IssueCount>

export const IssueDeletion = z
  .object({
    issue_id: z.string(),
    status: z
      .enum(['deleting', 'deleted'])
      .describe('Whether the events are deleted yet. The issue itself is deleted at once.'),
    event_count: z.number().int(),
    requested_at: z.string(),
  })
  .meta({
    id: 'IssueDeletion',
    example: {
      issue_id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      status: 'deleting',
      event_count: 42,
      requested_at: '2026-11-21T01:02:03.456Z',
    },
  })
export type IssueDeletion = z.infer<typeof IssueDeletion>
