/**
 * The cron jobs of the workers: hourly deletion of expired rows, and the weekly check of stored
 * idea counts.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { PlainCounter } from '#platform/metrics/metric-types.ts'
import type { Pool } from '#platform/postgres.ts'
import { expireContacts } from '../contacts/contact-retention.ts'
import { expireDeadLetters } from '../dead-letters/dead-letter-store.ts'
import { deleteOldInstances, settleSilentInstances } from '../instances/instance-store.ts'
import { expireEmails } from '../mail/email-retention.ts'
import { expireMonitorRuns } from '../monitors/monitor-writes.ts'
import { countDrift } from '../portal-drift/idea-count-store.ts'
import { reportDrift } from '../portal-drift/report-drift.ts'
import { expireSessionSums } from '../release-health/release-health-store.ts'
import { type CronJob, hourMs, weekMs } from './cron-jobs.ts'

export interface CleanupContext {
  readonly pg: Pool
  readonly clock: Clock
  readonly log: Logger
  readonly retentionDays: number
  readonly deadLettersExpired: Pick<PlainCounter, 'inc'>
  /** Aborted when the process drains; the next hour deletes the remaining rows. */
  readonly signal: AbortSignal
}

/** Each job has its own minute, so that not all of them load Postgres at the same time. */
export function cleanupJobs(ctx: CleanupContext): CronJob[] {
  const { pg, clock, log, retentionDays, signal } = ctx
  const now = () => new Date(clock.nowMs())
  return [
    {
      task: 'expire_monitor_runs',
      match: '3 * * * *',
      periodMs: hourMs,
      run: () => expireMonitorRuns(pg, retentionDays),
      failure: { code: 'care_failed', text: 'Deleting expired monitor runs failed' },
    },
    {
      task: 'expire_session_sums',
      match: '11 * * * *',
      periodMs: hourMs,
      run: () => expireSessionSums(pg, { now: now(), retentionDays }),
      failure: {
        code: 'expire_session_sums_failed',
        text: 'Deleting expired session counts failed',
      },
    },
    {
      task: 'expire_dead_letters',
      match: '19 * * * *',
      periodMs: hourMs,
      run: () => deleteExpiredDeadLetters(ctx),
      failure: { code: 'expire_dead_letters_failed', text: 'Deleting expired dead letters failed' },
    },
    {
      task: 'settle_silent_instances',
      match: '27 * * * *',
      periodMs: hourMs,
      run: () => settleInstances(ctx),
      failure: { code: 'care_failed', text: 'Settling silent ingest instances failed' },
    },
    {
      task: 'expire_contacts',
      match: '35 * * * *',
      periodMs: hourMs,
      run: () => expireContacts(pg, now(), signal),
      failure: { code: 'care_failed', text: 'Deleting unconfirmed contacts failed' },
    },
    {
      task: 'expire_emails',
      match: '43 * * * *',
      periodMs: hourMs,
      run: () => expireEmails(pg, now(), signal),
      failure: { code: 'care_failed', text: 'Deleting expired emails failed' },
    },
    {
      task: 'portal_drift',
      match: '51 3 * * 1',
      periodMs: weekMs,
      run: () => reportDrift({ count: () => countDrift(pg), log }),
    },
  ]
}

async function deleteExpiredDeadLetters(ctx: CleanupContext): Promise<void> {
  const { pg, clock, log, retentionDays } = ctx
  const expired = await expireDeadLetters(pg, { now: new Date(clock.nowMs()), retentionDays })
  ctx.deadLettersExpired.inc(expired)
  if (expired > 0) {
    log.info({ code: 'dead_letters_expired', expired }, 'Expired dead letters were deleted.')
  }
}

async function settleInstances({ pg, log }: CleanupContext): Promise<void> {
  const settled = await settleSilentInstances(pg)
  if (settled > 0) {
    log.warn({ code: 'boots_settled', settled }, 'Leases of silent ingest instances were settled.')
  }
  await deleteOldInstances(pg)
}
