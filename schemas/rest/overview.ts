/** What the dashboard shows of a project on every page: names, counts, and the use of the quota. */
import { z } from 'zod'

/** Counts end here. */
export const overviewCountMax = 10_000

const Count = z.number().int().min(0).max(overviewCountMax)
const Time = z.string().nullable()

export const ProjectOverview = z
  .object({
    project: z.object({
      id: z.string(),
      name: z.string(),
      dsn_id: z.string(),
      project_key: z.string(),
    }),
    counts: z
      .object({
        unresolved_issues: Count,
        triage: Count.describe('Entries of the triage queue.'),
        failed_monitors: Count.describe('Failing monitors that are not muted.'),
        ideas_to_moderate: Count.describe('Ideas and comments that wait for moderation.'),
        new_feedback: Count.describe('Feedback with the status New that is not archived.'),
        alerts_failing: Count.describe(
          'Enabled rules with a target that is disabled or whose last delivery failed.',
        ),
      })
      .describe(`Each ends at ${overviewCountMax}, which means at least as many.`),
    has_events: z.boolean(),
    first_event_at: Time.describe('Of the issues that are stored.'),
    latest_event_at: Time,
    series_24h: z
      .array(z.number().int())
      .nullable()
      .describe('Accepted events by hour, this one last; null while ClickHouse does not respond.'),
    latest_release: z.object({ version: z.string(), first_seen: z.string() }).nullable(),
    quota: z.object({
      used: z.number().int(),
      monthly_events: z.number().int().nullable(),
      period_end: z.string(),
      forecast_events: z
        .number()
        .int()
        .describe('Expected use at the end of the period: see `forecast` of the quota.'),
    }),
  })
  .meta({
    id: 'ProjectOverview',
    example: {
      project: {
        id: '01939c1e-7d00-7000-8000-000000000001',
        name: 'Shop',
        dsn_id: '1',
        project_key: '8c1f0d0e-6f0b-4c8e-9d0b-0a8b6b0f5f11',
      },
      counts: {
        unresolved_issues: 42,
        triage: 7,
        failed_monitors: 1,
        ideas_to_moderate: 3,
        new_feedback: 5,
        alerts_failing: 0,
      },
      has_events: true,
      first_event_at: '2026-10-01T08:00:00.000Z',
      latest_event_at: '2026-11-21T01:29:00.000Z',
      series_24h: Array.from({ length: 24 }, (_, hour) => hour * 3),
      latest_release: { version: 'shop@1.4.1', first_seen: '2026-11-20T10:00:00.000Z' },
      quota: {
        used: 4_211,
        monthly_events: 100_000,
        period_end: '2026-12-01T00:00:00.000Z',
        forecast_events: 6_100,
      },
    },
  })
export type ProjectOverview = z.infer<typeof ProjectOverview>
