/** What a project may send, and what it has sent (http-api: Issues, `GET quota`, `PUT quota`). */
import { z } from 'zod'

const monthlyEventsMax = 1_000_000_000_000
const perMinuteMax = 1_000_000_000

const PerMinute = z.number().int().min(1).max(perMinuteMax).nullable()
const MonthlyEvents = z.number().int().min(0).max(monthlyEventsMax).nullable()

const limits = {
  monthly_events: MonthlyEvents.describe('Events a month (UTC); null: without limit.'),
  per_minute: PerMinute.describe('Spike limit: events a minute of the whole project.'),
  per_issue_per_minute: PerMinute.describe(
    'Brake: of an issue above this rate only a sample of its events is stored. All are counted.',
  ),
}

/** What is left out stays as it is. */
export const QuotaChange = z
  .strictObject(limits)
  .partial()
  .meta({ id: 'QuotaChange', example: { monthly_events: 100_000, per_minute: 5_000 } })
export type QuotaChange = z.infer<typeof QuotaChange>

export const Quota = z
  .object({
    ...limits,
    used: z.number().int().describe('Events charged in this period: what was accepted.'),
    reserved: z
      .number()
      .int()
      .describe('Units that ingest processes hold beside that; what they do not need comes back.'),
    period_start: z.string(),
    period_end: z.string().describe('The first moment of the next period.'),
    by_key: z
      .array(
        z.object({
          key: z.string().describe('Public half of the DSN key.'),
          label: z.string().nullable(),
          per_minute: z.number().int().nullable().describe("The key's own limit."),
          used: z.number().int(),
        }),
      )
      .describe('Every DSN key of the project, those that used most first.'),
    by_issue: z
      .array(
        z.object({
          id: z.string(),
          short_id: z.string(),
          title: z.string(),
          used: z.number().int(),
        }),
      )
      .describe('The issues that used most.'),
  })
  .meta({
    id: 'Quota',
    example: {
      monthly_events: 100_000,
      per_minute: null,
      per_issue_per_minute: null,
      used: 4_211,
      reserved: 120,
      period_start: '2026-11-01T00:00:00.000Z',
      period_end: '2026-12-01T00:00:00.000Z',
      by_key: [
        {
          key: '4f0e0c5d1f1c4c7b9a8e2d3b6a7c8d9e',
          label: 'worker',
          per_minute: 600,
          used: 4_211,
        },
      ],
      by_issue: [
        {
          id: '01939c1e-7d00-7000-8000-000000000001',
          short_id: 'SHOP-12',
          title: 'TypeError: x is undefined',
          used: 3_900,
        },
      ],
    },
  })
export type Quota = z.infer<typeof Quota>
