/** Issues (http-api: Issues). */
import { z } from 'zod'
import { IssueLink } from './issues/issue-link.ts'
import { FilterText, Instant, PageQuery, SearchQueryText } from './page.ts'
import { SuspectCommit } from './releases/commit.ts'

export const issueStatuses = ['unresolved', 'resolved', 'ignored'] as const
export const IssueStatus = z.enum(issueStatuses)
export type IssueStatus = z.infer<typeof IssueStatus>

export const substatuses = ['new', 'ongoing', 'regressed', 'escalating'] as const
export type Substatus = (typeof substatuses)[number]
export const priorities = ['high', 'medium', 'low'] as const
export type Priority = (typeof priorities)[number]
export const triageReasons = ['new', 'regressed', 'escalating', 'returned'] as const
export type TriageReason = (typeof triageReasons)[number]
/** How an issue was resolved. */
export const resolutions = ['now', 'next_release', 'release', 'commit'] as const
export type Resolution = (typeof resolutions)[number]
export const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const

export const teamAssigneePattern = /^team:[a-z0-9][a-z0-9-]{0,49}$/

export const issueSorts = ['last_seen', 'first_seen', 'count', 'users', 'trend'] as const

export const seriesHours = 24
export const seriesDays = 30

export const AssigneeFilter = z
  .union(
    [z.literal('none'), z.guid().toLowerCase(), z.string().regex(teamAssigneePattern)],
    'must be the id of a person, team: and the slug of a team, or none',
  )
  .describe('The id of a person, `team:<slug>`, or `none` for issues that nobody is assigned to.')

export const IssueListQuery = z.strictObject({
  ...PageQuery,
  query: SearchQueryText.optional().describe(
    'Fields and text, all of which must hold: `level:error !environment:dev times_seen:>100 "out of memory"`.',
  ),
  status: IssueStatus.optional(),
  substatus: z.enum(substatuses).optional(),
  level: z.enum(levels).optional(),
  assignee: AssigneeFilter.optional(),
  priority: z.enum(priorities).optional(),
  environment: FilterText.optional(),
  release: FilterText.optional(),
  component: FilterText.optional(),
  since: Instant.optional().describe('Seen at or after this time.'),
  until: Instant.optional().describe('Seen before this time.'),
  sort: z
    .enum(issueSorts, `must be one of ${issueSorts.join(', ')}`)
    .default('last_seen')
    .describe(
      'Largest or newest first. `trend`: events of the last 24 hours minus those of the 24 hours before.',
    ),
})
export type IssueListQuery = z.infer<typeof IssueListQuery>

const Person = z.object({ id: z.string(), name: z.string().nullable(), email: z.string() })
const Team = z.object({ id: z.string(), slug: z.string(), name: z.string() })

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
    assignee_team: Team.nullable(),
    priority: z
      .enum(priorities)
      .describe('Set by a person, or by the level: fatal and error are high, warning is medium.'),
    resolution: z
      .object({
        in: z.enum(resolutions),
        release: z
          .string()
          .nullable()
          .describe(
            '`release`: it has the repair. `now`, `next_release`: the newest at that time.',
          ),
        commit: z.string().nullable(),
        at: z.string(),
      })
      .nullable()
      .describe('How the issue was resolved; null while it is not.'),
    ignore_until: z
      .object({
        at: z.string().nullable(),
        events: z.number().int().nullable().describe('The count at which it returns.'),
        users: z
          .number()
          .int()
          .nullable()
          .describe('The users, from then on, with which it returns.'),
        escalating: z.boolean(),
      })
      .nullable()
      .describe('What ends ignoring: the first condition that holds; null: nothing does.'),
    escalation: z
      .looseObject({ hour: z.string(), count: z.number(), expected: z.number(), limit: z.number() })
      .nullable()
      .describe('Why the issue is escalating: events of that hour, and how many were expected.'),
    triage: z
      .object({
        reason: z.enum(triageReasons),
        since: z.string(),
        snoozed_until: z.string().nullable(),
      })
      .nullable()
      .describe('Why the issue is in the triage queue; null when it is not.'),
    count: z
      .number()
      .int()
      .describe('The exact number of events, including those that were not stored.'),
    sampled_count: z
      .number()
      .int()
      .describe('Events that were counted and not stored, because of sampling.'),
    bookmarked: z
      .boolean()
      .optional()
      .describe('Whether the person who asks has a bookmark; in lists and details.'),
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
      assignee_team: null,
      priority: 'high',
      resolution: null,
      ignore_until: null,
      escalation: null,
      triage: { reason: 'new', since: '2026-11-20T08:15:03.000Z', snoozed_until: null },
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

export const IssueActivity = z
  .object({
    issue_id: z.string().describe('This issue, or an issue that was merged into it.'),
    kind: z.string(),
    actor: z.looseObject({ type: z.string() }),
    data: z.record(z.string(), z.unknown()),
    at: z.string(),
  })
  .meta({
    id: 'IssueActivity',
    example: {
      issue_id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      kind: 'comment',
      actor: { type: 'token', id: '019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10', label: 'ci' },
      data: { text: 'The repair is in review.' },
      at: '2026-11-20T08:15:03.000Z',
    },
  })
export type IssueActivity = z.infer<typeof IssueActivity>

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
  tags: z
    .record(z.string(), z.array(z.object({ value: z.string(), count: z.number().int() })))
    .describe(
      'The most frequent values of the most frequent tags. Of an issue with more than 10,000 events, the newest ones are counted, 30 days at most.',
    ),
  links: z.array(IssueLink).describe('Tickets and pages elsewhere, oldest first.'),
  derived_tags: z
    .array(z.string())
    .describe('Names in `tags` that no client has set: facts of all events, with a field each.'),
  merged_issues: z
    .array(z.object({ id: z.string(), short_id: z.string(), title: z.string() }))
    .describe('Issues that were merged into this one. Their ids redirect here.'),
  suspect_commits: z
    .array(SuspectCommit)
    .describe(
      'Commits of the release in which it was first seen, and of those without events before it, that changed a file of its stack; the nearest to the crash and then the newest first.',
    ),
  activity: z.array(IssueActivity),
}).meta({ id: 'IssueDetail' })
export type IssueDetail = z.infer<typeof IssueDetail>

const releaseCharactersMax = 250
const countMax = 1_000_000_000
/** Each user is remembered by a row. */
const ignoredUsersMax = 100_000
const emailCharactersMax = 320
const reasonCharactersMax = 1_000
const commitPattern = /^commit:[0-9a-f]{7,64}$/i

const ResolvedIn = z
  .string()
  .trim()
  .min(1)
  .max(releaseCharactersMax)
  .refine(
    (text) => !text.startsWith('commit:') || commitPattern.test(text),
    'must be now, next_release, a release, or commit: with 7 to 64 hex digits',
  )
  .describe(
    'Events of these releases reopen it. `now`: the newest release at that time and later ones. `next_release`: later ones only. A release, which has the repair: this and later ones. `commit:<hash>`: the release with this commit and later ones.',
  )

const more = (countMaximum: number) => z.number().int().min(1).max(countMaximum)
const IgnoreUntil = z
  .strictObject({
    at: Instant.optional(),
    events: more(countMax).optional().describe('So many more events.'),
    users: more(ignoredUsersMax).optional().describe('So many more users.'),
    escalating: z.boolean().optional(),
  })
  .nullable()
  .describe('What ends ignoring: the first condition that holds. Null: nothing does.')

const Assignee = z
  .union(
    [
      z.guid().toLowerCase(),
      z.string().regex(teamAssigneePattern),
      z.email().max(emailCharactersMax).toLowerCase(),
      z.null(),
    ],
    'must be the id or email address of a member, team: and the slug of a team, or null',
  )
  .describe('The id or email address of a member, `team:<slug>`, or null for nobody.')

const isGiven = (value: unknown) => value !== undefined

export const IssueChange = z
  .strictObject({
    status: IssueStatus.optional(),
    resolved_in: ResolvedIn.optional(),
    ignore_until: IgnoreUntil.optional(),
    assignee: Assignee.optional(),
    priority: z.enum(priorities).nullable().optional().describe('Null: by its level.'),
    reviewed: z
      .literal(true)
      .optional()
      .describe('Takes it out of the triage queue without another decision.'),
    snooze_until: Instant.nullable()
      .optional()
      .describe('Hides it from the triage queue until then; null shows it again.'),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(reasonCharactersMax)
      .optional()
      .describe('Why, for the people who read the activity.'),
  })
  .refine(({ reason: _reason, ...change }) => Object.values(change).some(isGiven), {
    path: ['status'],
    error:
      'or another field must be given: resolved_in, ignore_until, assignee, priority, reviewed, snooze_until',
  })
  .refine(({ status = 'resolved', resolved_in }) => !resolved_in || status === 'resolved', {
    path: ['resolved_in'],
    error: 'must be given with the status resolved only',
  })
  .refine(({ status = 'ignored', ignore_until }) => !ignore_until || status === 'ignored', {
    path: ['ignore_until'],
    error: 'must be given with the status ignored only',
  })
  .refine(({ resolved_in, ignore_until }) => !resolved_in || !ignore_until, {
    path: ['ignore_until'],
    error: 'must not be given with resolved_in',
  })
  .meta({ id: 'IssueChange', example: { status: 'resolved', resolved_in: 'next_release' } })
export type IssueChange = z.infer<typeof IssueChange>

const commentCharactersMax = 10_000
/** Not trimmed: white space has a meaning in Markdown. */
export const CommentText = z
  .string()
  .min(1)
  .max(commentCharactersMax)
  .regex(/\S/, 'must have a character that is not white space')
  .describe('Markdown.')
export const IssueComment = z
  .strictObject({ text: CommentText })
  .meta({ id: 'IssueComment', example: { text: 'The repair is in review.' } })
