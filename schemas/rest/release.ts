/** Releases and their health (http-api: Issues, `GET releases`). */
import { z } from 'zod'
import { FilterText, Instant, PageQuery } from './page.ts'
import { Commit, commitsPerReleaseMax, exampleCommit, GivenCommit } from './releases/commit.ts'
import { Deploy } from './releases/deploy.ts'

const healthQuery = {
  environment: FilterText.optional().describe('Only sessions of this environment.'),
  since: Instant.optional().describe('Only sessions that started at or after this hour.'),
  until: Instant.optional().describe('Only sessions that started before this time. Default: now.'),
} as const

export const ReleaseListQuery = z.strictObject({
  ...PageQuery,
  ...healthQuery,
  sort: z
    .enum(['last_seen', 'version'])
    .default('last_seen')
    .describe(
      '`version`: the highest version first (SemVer, dates, numbers), by package; releases without an order by when they were seen first.',
    ),
})
export type ReleaseListQuery = z.infer<typeof ReleaseListQuery>

export const ReleaseCommits = z.object({ version: z.string(), commits: z.array(z.string()) }).meta({
  id: 'ReleaseCommits',
  example: { version: 'shop@1.4.1', commits: ['6b1f0c2d9e8a4b7c8d9e0f1a2b3c4d5e6f708192'] },
})
export type ReleaseCommits = z.infer<typeof ReleaseCommits>

export const ReleaseCommitsBody = z
  .strictObject({
    commits: z
      .array(GivenCommit)
      .max(commitsPerReleaseMax)
      .describe('All commits since the release before; they replace those given formerly.'),
  })
  .meta({
    id: 'ReleaseCommitsBody',
    example: { commits: ['6b1f0c2d9e8a4b7c8d9e0f1a2b3c4d5e6f708192'] },
  })

export const ReleaseQuery = z.strictObject({
  ...healthQuery,
  interval: z.enum(['hour', 'day']).default('hour'),
})
export type ReleaseQuery = z.infer<typeof ReleaseQuery>

const rate = z.number().min(0).max(1).nullable()

const SessionCounts = z.object({
  sessions: z.number().int(),
  users: z.number().int().describe('Distinct users of the sessions.'),
  crashed: z.number().int().describe('Sessions that ended with a crash.'),
  abnormal: z
    .number()
    .int()
    .describe('Sessions that ended unexpectedly: killed, or not responding.'),
  unhandled: z.number().int().describe('Sessions with an unhandled error that did not crash.'),
  errored: z.number().int().describe('Sessions with handled errors only.'),
  healthy: z.number().int(),
  crash_free_sessions: rate.describe('1 − crashed ÷ sessions; null without sessions.'),
  crash_free_users: rate.describe('1 − users with a crash ÷ users; null without users.'),
})

export const ReleaseHealth = SessionCounts.extend({
  adoption: rate.describe(
    "Share of the project's sessions of the last 24 hours; null when there are none.",
  ),
  duration_seconds: z
    .object({ mean: z.number(), p50: z.number(), p95: z.number() })
    .nullable()
    .describe('Of sessions that exited and reported their duration.'),
}).meta({ id: 'ReleaseHealth' })
export type ReleaseHealth = z.infer<typeof ReleaseHealth>

const health = {
  sessions: 1200,
  users: 310,
  crashed: 6,
  abnormal: 1,
  unhandled: 0,
  errored: 43,
  healthy: 1150,
  crash_free_sessions: 0.995,
  crash_free_users: 0.9871,
  adoption: 0.42,
  duration_seconds: { mean: 31.5, p50: 20.2, p95: 118.4 },
}
const example = {
  version: 'shop@1.4.1',
  first_event: '2026-11-20T08:15:00.000Z',
  last_event: '2026-11-21T01:02:03.456Z',
  first_session: '2026-11-20T08:00:00.000Z',
  last_session: '2026-11-21T01:00:00.000Z',
  event_count: 42,
  new_issues: 1,
  url: null,
  date_released: '2026-11-20T08:15:00.000Z',
  commit_count: 1,
  last_deploy: { environment: 'production', finished_at: '2026-11-20T08:15:00.000Z' },
  health,
}

export const ReleaseItem = z
  .object({
    version: z.string(),
    first_event: z.string().nullable(),
    last_event: z.string().nullable(),
    first_session: z.string().nullable().describe('The hour in which the first session started.'),
    last_session: z.string().nullable(),
    event_count: z.number().int(),
    new_issues: z.number().int().describe('Issues first seen in this release.'),
    url: z.string().nullable(),
    date_released: z.string().nullable(),
    commit_count: z.number().int(),
    last_deploy: z.object({ environment: z.string(), finished_at: z.string() }).nullable(),
    health: ReleaseHealth,
  })
  .meta({ id: 'Release', example })
export type ReleaseItem = z.infer<typeof ReleaseItem>

const SeriesPoint = SessionCounts.extend({
  at: z.string(),
  project_sessions: z.number().int().describe('Sessions of all releases of the project.'),
})
export type SeriesPoint = z.infer<typeof SeriesPoint>

/** In the reply about a release. */
export const commitDetailsMax = 200
export const deploysShownMax = 50

export const ReleaseDetail = ReleaseItem.extend({
  commits: z
    .array(z.string())
    .describe('Hashes of the commits since the release before; empty if they are unknown.'),
  commit_details: z
    .array(Commit)
    .describe(`What is known about the commits, newest first, at most ${commitDetailsMax}.`),
  deploys: z.array(Deploy).describe(`The newest first, at most ${deploysShownMax}.`),
  series: z
    .array(SeriesPoint)
    .describe('One point per hour or day, including those without sessions.'),
}).meta({
  id: 'ReleaseDetail',
  example: {
    ...example,
    commits: ['6b1f0c2d9e8a4b7c8d9e0f1a2b3c4d5e6f708192'],
    commit_details: [exampleCommit],
    deploys: [],
    series: [{ at: '2026-11-21T01:00:00.000Z', ...withoutPeriod(health), project_sessions: 2857 }],
  },
})
export type ReleaseDetail = z.infer<typeof ReleaseDetail>

function withoutPeriod({ adoption: _, duration_seconds: __, ...counts }: typeof health) {
  return counts
}

export const ReleaseComparisonQuery = z.strictObject({
  base: z.string().min(1).max(200).describe('The version to compare with, usually the one before.'),
  environment: FilterText.optional(),
  since: Instant.optional().describe(
    'Only events and sessions from here on. Default: 30 days ago.',
  ),
  until: Instant.optional().describe('Default: now.'),
})
export type ReleaseComparisonQuery = z.infer<typeof ReleaseComparisonQuery>

/** Issues of each list. */
export const comparedIssuesMax = 100

const ComparedIssue = z.object({
  id: z.uuid(),
  short_id: z.string(),
  title: z.string(),
  culprit: z.string(),
  level: z.string(),
  status: z.string(),
  base_events: z.number().int(),
  head_events: z.number().int(),
  factor: z
    .number()
    .nullable()
    .describe('How much more frequent it is in the head, by `scale`. Null if it is in one only.'),
})
export type ComparedIssue = z.infer<typeof ComparedIssue>

const ComparedIssues = z.object({
  count: z.number().int(),
  items: z.array(ComparedIssue).describe(`The most frequent first, at most ${comparedIssuesMax}.`),
})

const ComparedRelease = z.object({
  version: z.string(),
  events: z.number().int().describe('In the period.'),
  issues: z.number().int(),
  health: ReleaseHealth.describe('In the period.'),
})

export const ReleaseComparison = z
  .object({
    base: ComparedRelease,
    head: ComparedRelease,
    scale: z
      .enum(['sessions', 'hours'])
      .describe(
        'What events are divided by before they are compared: sessions if both releases have some, else the hours between the first and the last event.',
      ),
    new_issues: ComparedIssues.describe('In the head and not in the base.'),
    absent_issues: ComparedIssues.describe('In the base and not in the head.'),
    more_frequent: ComparedIssues.describe(
      'In both, at least five times in the head, and at least 1.5 times as frequent there.',
    ),
    crash_free_sessions_difference: z
      .number()
      .nullable()
      .describe('Head minus base; positive is better. Null if one has no sessions.'),
    crash_free_users_difference: z.number().nullable(),
    truncated: z
      .boolean()
      .describe('Only the 10,000 most frequent grouping hashes of both were compared.'),
  })
  .meta({ id: 'ReleaseComparison' })
export type ReleaseComparison = z.infer<typeof ReleaseComparison>
