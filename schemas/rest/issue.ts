/** Issues (http-api: Issues). */
import { z } from 'zod'
import { FilterText, Instant, PageQuery, SearchQueryText } from './page.ts'

export const issueStatuses = ['unresolved', 'resolved', 'ignored'] as const
export const IssueStatus = z.enum(issueStatuses)
export type IssueStatus = z.infer<typeof IssueStatus>

export const substatuses = ['new', 'ongoing', 'regressed'] as const
export const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const

export const issueSorts = ['last_seen', 'first_seen', 'count', 'users'] as const

export const seriesHours = 24
export const seriesDays = 30

export const IssueListQuery = z.strictObject({
  ...PageQuery,
  query: SearchQueryText.optional().describe(
    'Fields and text, all of which must hold: `level:error !environment:dev times_seen:>100 "out of memory"`.',
  ),
  status: IssueStatus.optional(),
  substatus: z.enum(substatuses).optional(),
  level: z.enum(levels).optional(),
  assignee: z
    .union([z.literal('none'), z.guid().toLowerCase()], 'must be the id of a person, or none')
    .optional()
    .describe('The id of a person, or `none` for unassigned issues.'),
  environment: FilterText.optional(),
  release: FilterText.optional(),
  component: FilterText.optional(),
  since: Instant.optional().describe('Seen at or after this time.'),
  until: Instant.optional().describe('Seen before this time.'),
  sort: z
    .enum(issueSorts, `must be one of ${issueSorts.join(', ')}`)
    .default('last_seen')
    .describe('Largest or newest first.'),
})
export type IssueListQuery = z.infer<typeof IssueListQuery>

const Person = z.object({ id: z.string(), name: z.string().nullable(), email: z.string() })

export const IssueItem = z
  .object({
    id: z.string(),
    short_id: z.string(),
    title: z.string(),
    culprit: z.string(),
    level: z.string(),
    platform: z.string(),
    status: IssueStatus,
    substatus: z.enum(substatuses).nullable(),
    assignee: Person.nullable(),
    count: z
      .number()
      .int()
      .describe('The exact number of events, including those that were not stored.'),
    sampled_count: z
      .number()
      .int()
      .describe('Events that were counted and not stored, because of sampling.'),
    events_expired: z
      .boolean()
      .describe(
        'True when events were counted and none of them is stored any more, because their retention is over.',
      ),
    user_count: z.number().int().describe('Distinct users of stored events.'),
    first_seen: z.string(),
    last_seen: z.string(),
    first_release: z.string().nullable(),
    last_release: z.string().nullable(),
    components: z.array(z.string()),
    environments: z.array(z.string()),
    series_24h: z
      .array(z.number().int())
      .describe('Events per hour of the last 24 hours, oldest first, including the current hour.'),
  })
  .meta({
    id: 'Issue',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      short_id: 'SHOP-12',
      title: "TypeError: Cannot read properties of undefined (reading 'id')",
      culprit: 'addToCart',
      level: 'error',
      platform: 'node',
      status: 'unresolved',
      substatus: 'new',
      assignee: null,
      count: 42,
      sampled_count: 0,
      events_expired: false,
      user_count: 7,
      first_seen: '2026-11-20T08:15:00.000Z',
      last_seen: '2026-11-21T01:02:03.456Z',
      first_release: 'shop@1.4.0',
      last_release: 'shop@1.4.1',
      components: ['worker'],
      environments: ['production'],
      series_24h: [...Array.from({ length: seriesHours - 3 }, () => 0), 5, 30, 7],
    },
  })
export type IssueItem = z.infer<typeof IssueItem>

/** Why a hash belongs to this issue, as written by grouping when the hash was first seen. */
const Explanation = z
  .looseObject({ algorithm: z.string(), path: z.string(), summary: z.string() })
  .describe('Why events are in this issue. `summary` is readable text.')

export const IssueDetail = IssueItem.extend({
  grouping: z.object({
    version: z.string(),
    explanation: Explanation.nullable(),
    variables: z
      .array(z.object({ kind: z.string(), count: z.number().int() }))
      .describe('Kinds of variable parts that grouping ignored in messages.'),
    hashes: z.array(
      z.object({
        hash: z.string(),
        summary: z.string(),
        first_seen: z.string(),
        last_seen: z.string().nullable(),
        count: z
          .number()
          .int()
          .describe('Events whose first hash this is. They add up to the count of the issue.'),
        came_from: z
          .string()
          .nullable()
          .describe('The former issue, which `unmerge` gives the hash back to.'),
      }),
    ),
  }),
  series_30d: z
    .array(z.number().int())
    .describe('Events per day (UTC) of the last 30 days, oldest first, including today.'),
  tags: z.record(z.string(), z.array(z.object({ value: z.string(), count: z.number().int() }))),
  merged_issues: z
    .array(z.object({ id: z.string(), short_id: z.string(), title: z.string() }))
    .describe('Issues that were merged into this one. Their ids redirect here.'),
  activity: z.array(
    z.object({
      issue_id: z.string().describe('This issue, or an issue that was merged into it.'),
      kind: z.string(),
      actor: z.looseObject({ type: z.string() }),
      data: z.record(z.string(), z.unknown()),
      at: z.string(),
    }),
  ),
}).meta({ id: 'IssueDetail' })
export type IssueDetail = z.infer<typeof IssueDetail>

export const IssueChange = z
  .strictObject({ status: IssueStatus })
  .meta({ id: 'IssueChange', example: { status: 'resolved' } })
export type IssueChange = z.infer<typeof IssueChange>
