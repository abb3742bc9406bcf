/**
 * The cron jobs of the workers: hourly deletion of expired rows and forecasts of issues, and the
 * weekly check of stored idea counts.
 */
import { forecastIssues } from '../escalation/forecast-issues.ts'
import { deleteOldInstances, settleSilentInstances } from '../instances/instance-store.ts'
import { countDrift } from '../portal-drift/idea-count-store.ts'
import { reportDrift } from '../portal-drift/report-drift.ts'
import { retentionTime } from '../retention/retention-time-store.ts'
import { type CronJob, hourMs, weekMs } from './cron-jobs.ts'
import { type RetentionContext, retentionJobs } from './retention-jobs.ts'

export type CleanupContext = RetentionContext

/** Each job has its own minute, so that not all of them load Postgres at the same time. */
export function cleanupJobs(ctx: CleanupContext): CronJob[] {
  const { pg, log } = ctx
  return [
    ...retentionJobs(ctx),
    {
      task: 'settle_silent_instances',
      match: '27 * * * *',
      periodMs: hourMs,
      run: () => settleInstances(ctx),
      failure: { code: 'care_failed', text: 'Settling silent ingest instances failed' },
    },
    {
      task: 'forecast_issues',
      match: '47 * * * *',
      periodMs: hourMs,
      run: async () =>
        forecastIssues({
          pg,
          clickhouse: ctx.clickhouse,
          now: await retentionTime(pg, ctx.machineClock),
          retentionDays: ctx.days.events,
          signal: ctx.signal,
        }),
      failure: { code: 'forecast_failed', text: 'Forecasting the events of issues failed' },
    },
    {
      task: 'portal_drift',
      match: '51 3 * * 1',
      periodMs: weekMs,
      run: () => reportDrift({ count: () => countDrift(pg), log }),
    },
  ]
}

async function settleInstances({ pg, log, rowsExpired }: CleanupContext): Promise<void> {
  const settled = await settleSilentInstances(pg)
  if (settled > 0) {
    log.warn({ code: 'boots_settled', settled }, 'Leases of silent ingest instances were settled.')
  }
  await deleteOldInstances(pg, (table, rows) => {
    if (rows > 0) rowsExpired.inc({ table }, rows)
  })
}
