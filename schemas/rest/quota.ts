/** The event quota of a project and its use (http-api: Issues, `GET quota`, `PUT quota`). */
import { z } from 'zod'

const monthlyEventsMax = 1_000_000_000_000
const perMinuteMax = 1_000_000_000

const PerMinute = z.number().int().min(1).max(perMinuteMax).nullable()
const MonthlyEvents = z.number().int().min(0).max(monthlyEventsMax).nullable()

const limits = {
  monthly_events: MonthlyEvents.describe('Events per calendar month (UTC); null for no limit.'),
  per_minute: PerMinute.describe(
    'Spike limit: events per minute of the whole project; null for no limit.',
  ),
  per_issue_per_minute: PerMinute.describe(
    'Sampling threshold: of an issue with more events per minute only a sample is stored. All events are counted.',
  ),
}

/** A field that is left out keeps its value. */
export const QuotaChange = z
  .strictObject(limits)
  .partial()
  .meta({ id: 'QuotaChange', example: { monthly_events: 100_000, per_minute: 5_000 } })
export type QuotaChange = z.infer<typeof QuotaChange>

const Events = z.number().int()

export const QuotaForecast = z.object({
  events: Events.describe('The higher one of the two below.'),
  by_period: Events.describe('At the mean rate of the period so far, of one day at least.'),
  by_last_7_days: Events.nullable().describe('At the mean rate of the last seven days.'),
  limit_reached_at: z
    .string()
    .nullable()
    .describe('When `events` reaches the monthly limit; null if not in this period.'),
})
export type QuotaForecast = z.infer<typeof QuotaForecast>

export const Quota = z
  .object({
    ...limits,
    used: z.number().int().describe('Events accepted in this period.'),
    reserved: z
      .number()
      .int()
      .describe(
        'Events that ingest processes have reserved in addition; unused ones are returned.',
      ),
    period_start: z.string(),
    period_end: z.string().describe('Start of the next period.'),
    forecast: QuotaForecast.describe('Expected use at the end of the period, extrapolated.'),
    by_key: z
      .array(
        z.object({
          key: z.string().describe('Public key of the DSN.'),
          label: z.string().nullable(),
          per_minute: z.number().int().nullable().describe("The key's own limit."),
          used: z.number().int(),
        }),
      )
      .describe('All DSN keys of the project, most events first.'),
    by_issue: z
      .array(
        z.object({
          id: z.string(),
          short_id: z.string(),
          title: z.string(),
          used: z.number().int(),
        }),
      )
      .describe('The ten issues with the most events.'),
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
      forecast: {
        events: 6_100,
        by_period: 6_016,
        by_last_7_days: 6_100,
        limit_reached_at: null,
      },
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
