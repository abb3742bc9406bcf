/**
 * The cron jobs that delete rows as the policies of their tables say (schemas/retention/). Each job
 * has its own minute, so that not all of them load Postgres at the same time.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { PlainCounter } from '#platform/metrics/metric-types.ts'
import type { Pool } from '#platform/postgres.ts'
import type { RetentionDays, RowExpiry } from '#schemas/retention/policy.ts'
import { postgresPolicies } from '#schemas/retention/postgres-policies.ts'
import { expireContacts } from '../contacts/contact-retention.ts'
import { expireDeadLetters } from '../dead-letters/dead-letter-store.ts'
import { expireEmails } from '../mail/email-retention.ts'
import { expireSessionSums } from '../release-health/release-health-store.ts'
import { expireAddresses } from '../retention/address-expiry-store.ts'
import { expireHashes } from '../retention/expired-hash-job.ts'
import { expireIssues } from '../retention/expired-issue-job.ts'
import { deleteExpiredRows } from '../retention/expired-row-store.ts'
import { expireOutcomes } from '../retention/outcome-expiry-store.ts'
import { retentionTime } from '../retention/retention-time-store.ts'
import { type CronJob, hourMs } from './cron-jobs.ts'

export interface RetentionContext {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  /** Not the corrected one, which agrees with a Postgres whose clock is wrong. */
  readonly machineClock: Clock
  readonly log: Logger
  readonly days: RetentionDays
  readonly rowsExpired: { inc(labels: { table: string }, rows: number): void }
  readonly deadLettersExpired: Pick<PlainCounter, 'inc'>
  /** Aborted when the process drains; the next hour deletes the remaining rows. */
  readonly signal: AbortSignal
}

/** Deletes what has expired at `now`, and tells how many rows of each table. */
type Expire = (now: Date, report: (table: string, rows: number) => void) => Promise<unknown>

export function retentionJobs(ctx: RetentionContext): CronJob[] {
  const { pg, clickhouse, days, signal } = ctx
  const hourly = (minute: number, task: string, what: string, expire: Expire): CronJob => ({
    task,
    match: `${minute} * * * *`,
    periodMs: hourMs,
    run: async () => {
      await expire(await retentionTime(pg, ctx.machineClock), (table, rows) => {
        if (rows > 0) ctx.rowsExpired.inc({ table }, rows)
      })
    },
    failure: { code: `${task}_failed`, text: `Deleting expired ${what} failed` },
  })
  return [
    hourly(3, 'expire_monitor_runs', 'monitor runs', (now, report) =>
      expireTables(ctx, now, report, 'expire_monitor_runs'),
    ),
    hourly(7, 'expire_rows', 'rows', (now, report) => expireTables(ctx, now, report)),
    hourly(11, 'expire_session_sums', 'session counts', async (now, report) => {
      const limits = { now, retentionDays: days.events, signal }
      report('release_health_counts', await expireSessionSums(pg, limits))
    }),
    hourly(15, 'expire_issues', 'issues', async (now, report) => {
      report('issues', await expireIssues({ pg, clickhouse, now, days, signal }))
    }),
    hourly(19, 'expire_dead_letters', 'dead letters', (now, report) =>
      deleteExpiredDeadLetters(ctx, now, report),
    ),
    hourly(23, 'expire_hashes', 'grouping hashes', async (now, report) => {
      report('issue_hashes', await expireHashes({ pg, clickhouse, now, days, signal }))
    }),
    hourly(31, 'expire_addresses', 'addresses', async (now, report) => {
      report('addresses', await expireAddresses(pg, { now, days: days.emailEvents, signal }))
    }),
    hourly(35, 'expire_contacts', 'contacts', (now, report) =>
      expireContacts(pg, now, signal, report),
    ),
    hourly(39, 'expire_outcomes', 'outcomes', async (now, report) => {
      report('outcomes', await expireOutcomes(clickhouse, { now, days: days.outcomes, signal }))
    }),
    hourly(43, 'expire_emails', 'emails', (now, report) =>
      expireEmails(pg, now, { signal, hitDays: days.emailEvents, report }),
    ),
  ]
}

/** The tables whose rows the job deletes, as their policies say. */
export function tablesOf(job: string): readonly (readonly [table: string, expiry: RowExpiry])[] {
  return Object.entries(postgresPolicies).flatMap(([table, policy]) =>
    policy.kind === 'expires' && policy.by === 'rows' && (policy.job ?? 'expire_rows') === job
      ? [[table, policy] as const]
      : [],
  )
}

/** A table that fails does not keep the others from being cleaned. */
async function expireTables(
  { pg, days, signal }: RetentionContext,
  now: Date,
  report: (table: string, rows: number) => void,
  job = 'expire_rows',
): Promise<void> {
  const failures: Error[] = []
  for (const [table, expiry] of tablesOf(job)) {
    if (signal.aborted) break
    try {
      report(table, await deleteExpiredRows({ pg, now, days, signal }, table, expiry))
    } catch (error) {
      failures.push(new Error(`table ${table}: ${String(error)}`, { cause: error }))
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, failures.map(({ message }) => message).join('; '))
  }
}

async function deleteExpiredDeadLetters(
  { pg, log, days, signal, deadLettersExpired }: RetentionContext,
  now: Date,
  report: (table: string, rows: number) => void,
): Promise<void> {
  const expired = await expireDeadLetters(pg, { now, retentionDays: days.events, signal })
  deadLettersExpired.inc(expired)
  report('dead_letters', expired)
  if (expired > 0) {
    log.info({ code: 'dead_letters_expired', expired }, 'Expired dead letters were deleted.')
  }
}
