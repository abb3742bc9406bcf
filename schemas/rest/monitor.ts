/** Monitors of recurring jobs, and their runs (http-api: Issues, `GET monitors`). */
import { z } from 'zod'
import { intervalUnits } from '../wire/monitor-config.ts'
import { FilterText, Instant, PageQuery } from './page.ts'

export const runStatuses = ['running', 'closed', 'missed', 'overrunning'] as const

const Schedule = z.union([
  z.object({ type: z.literal('crontab'), value: z.string() }),
  z.object({
    type: z.literal('interval'),
    value: z.number().int(),
    unit: z.enum(intervalUnits),
  }),
])

const Time = z.string().nullable()

export const MonitorRunItem = z
  .object({
    id: z.string().describe('The `check_in_id` of the check-ins of the run.'),
    status: z.enum(runStatuses),
    result: z.enum(['ok', 'error']).nullable().describe('The result that the job reported.'),
    environment: z.string(),
    expected_at: Time,
    started_at: Time,
    closed_at: Time,
    duration_ms: z.number().int().nullable(),
    release: z.string().nullable(),
    trace_id: z.string().nullable().describe('The trace id of the run, which its errors share.'),
    event_id: z.string().nullable().describe('The event that was created for the run.'),
  })
  .meta({ id: 'MonitorRun' })
export type MonitorRunItem = z.infer<typeof MonitorRunItem>

export const monitorStatuses = ['waiting', 'ok', 'failing'] as const

export const MonitorItem = z
  .object({
    slug: z.string(),
    schedule: Schedule.nullable().describe('Null when unknown; then no run is reported as missed.'),
    timezone: z.string(),
    checkin_margin: z.number().int().describe('Minutes that a run may be late.'),
    max_runtime: z.number().int().describe('Minutes that a run may take.'),
    failure_issue_threshold: z.number().int().describe('Consecutive failures that open an issue.'),
    recovery_threshold: z.number().int().describe('Consecutive successes that resolve the issue.'),
    status: z
      .enum(monitorStatuses)
      .describe('`failing`: an environment has an open incident; `waiting`: no check-in yet.'),
    muted: z.boolean().describe('Runs are recorded, and no events are created for them.'),
    snoozed_until: Time.describe('Hidden from the triage queue until then.'),
    last_run: MonitorRunItem.nullable(),
    next_expected_at: Time,
    environments: z.array(
      z.object({
        environment: z.string(),
        status: z.enum(monitorStatuses),
        last_check_in_at: Time,
        last_ok_at: Time,
        next_expected_at: Time,
        incident: z
          .object({ kind: z.enum(['missed', 'overrunning', 'error']), opened_at: z.string() })
          .nullable(),
      }),
    ),
    last_problem: z
      .object({
        at: z.string(),
        reason: z.string(),
        environment: z.string(),
        detail: z.string(),
      })
      .nullable()
      .describe('The last check-in that was rejected or changed, and the reason.'),
    created_at: z.string(),
  })
  .meta({
    id: 'Monitor',
    example: {
      slug: 'nightly-backup',
      schedule: { type: 'crontab', value: '0 3 * * *' },
      timezone: 'Europe/Berlin',
      checkin_margin: 5,
      max_runtime: 30,
      failure_issue_threshold: 1,
      recovery_threshold: 1,
      status: 'ok',
      muted: false,
      snoozed_until: null,
      last_run: null,
      next_expected_at: '2026-11-22T02:00:00.000Z',
      environments: [],
      last_problem: null,
      created_at: '2026-11-20T08:15:00.000Z',
    },
  })
export type MonitorItem = z.infer<typeof MonitorItem>

/**
 * A field that is left out keeps its value. A `monitor_config` of a later check-in replaces all but
 * `muted` and `snooze_until`.
 */
export const MonitorChange = z
  .strictObject({
    muted: z.boolean(),
    snooze_until: Instant.nullable().describe(
      'Hides it from the triage queue until then; null shows it again.',
    ),
    // Validated like a `monitor_config`, whose errors name the field.
    schedule: z.unknown(),
    timezone: z.unknown(),
    checkin_margin: z.unknown(),
    max_runtime: z.unknown(),
    failure_issue_threshold: z.unknown(),
    recovery_threshold: z.unknown(),
  })
  .partial()
  .meta({ id: 'MonitorChange', example: { muted: true, max_runtime: 60 } })
export type MonitorChange = z.infer<typeof MonitorChange>

export const MonitorListQuery = z.strictObject(PageQuery)

export const RunListQuery = z.strictObject({
  ...PageQuery,
  environment: FilterText.optional(),
  status: z.enum(runStatuses).optional(),
})
