/** The triage queue: issues and failing monitors that nobody has decided on (http-api: Issues). */
import { z } from 'zod'
import { AssigneeFilter, IssueItem, levels, priorities, triageReasons } from './issue.ts'
import { PageQuery, pageOf } from './page.ts'

export const queueReasons = [...triageReasons, 'monitor_failed'] as const
export type QueueReason = (typeof queueReasons)[number]

export const TriageQuery = z.strictObject({
  ...PageQuery,
  reason: z.enum(queueReasons).optional(),
  level: z.enum(levels).optional(),
  priority: z.enum(priorities).optional(),
  assignee: AssigneeFilter.optional(),
})
export type TriageQuery = z.infer<typeof TriageQuery>

export const TriageEntry = z
  .object({
    reason: z.enum(queueReasons),
    since: z.string().describe('When it entered the queue, or the incident of the monitor opened.'),
    issue: IssueItem.nullable().describe('Null for a monitor whose failure has no issue.'),
    monitor: z
      .object({
        slug: z.string(),
        environment: z.string(),
        incident: z.enum(['missed', 'overrunning', 'error']),
      })
      .nullable()
      .describe('The failing monitor, with the issue of its failure in `issue`.'),
  })
  .meta({
    id: 'TriageEntry',
    example: {
      reason: 'monitor_failed',
      since: '2026-11-20T08:15:03.000Z',
      issue: null,
      monitor: { slug: 'nightly-backup', environment: 'production', incident: 'missed' },
    },
  })
export type TriageEntry = z.infer<typeof TriageEntry>

export const TriagePage = pageOf(TriageEntry)

const seconds = z.number().int().nullable()

export const triageFlowDays = 7

export const TriageStats = z
  .object({
    count: z.number().int(),
    by_reason: z.record(z.enum(queueReasons), z.number().int()),
    oldest_at: z.string().nullable(),
    median_age_seconds: seconds,
    p90_age_seconds: seconds.describe('Nine of ten entries are younger.'),
    last_7_days: z.object({
      entered: z
        .number()
        .int()
        .describe('How often an issue was new, regressed, escalating or returned.'),
      left: z.number().int().describe('Issues that left the queue and did so last in these days.'),
    }),
  })
  .meta({
    id: 'TriageStats',
    example: {
      count: 3,
      by_reason: { new: 1, regressed: 1, escalating: 0, returned: 0, monitor_failed: 1 },
      oldest_at: '2026-11-18T08:15:03.000Z',
      median_age_seconds: 7_200,
      p90_age_seconds: 172_800,
      last_7_days: { entered: 12, left: 9 },
    },
  })
export type TriageStats = z.infer<typeof TriageStats>
