/** Targets and their deliveries. A lease lets one worker at a time send to a target. */
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { storedJson } from '#schemas/stored-text.ts'
import type { StoredTarget } from './open-target.ts'
import { retryWindowMs } from './retry-schedule.ts'

export interface LeasedTarget extends StoredTarget {
  readonly organization_id: string
  readonly rule_id: string | null
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  readonly failures: number
  readonly open_until: Date | null
}

export interface Lease {
  readonly targetId: string
  readonly leaseId: string
}

export interface DueDelivery {
  readonly id: string
  readonly payload: unknown
  readonly is_test: boolean
  readonly attempt_count: number
  /** When it was created or replayed. */
  readonly since: Date
}

/** One entry of `attempts`. */
export interface Attempt {
  readonly at: string
  readonly status: number | null
  readonly latency_ms: number
  readonly error: string | null
  readonly response: string | null
}

/** Longer than a request and the statements around it take. Measured by Postgres. */
const leaseInterval = '30 seconds'
const attemptsKept = 20
const rowsPerStatementMax = 500
/** Time until a worker looks again at a target that another one has leased. */
const leasedRetryInterval = '1 second'
const targetsPerRoundMax = 1_000

/** Undefined if another worker has the lease, or if the target does not exist. */
export async function leaseTarget(
  pg: Pool,
  { targetId, leaseId }: Lease,
): Promise<LeasedTarget | undefined> {
  const { rows } = await pg.query<LeasedTarget>(
    `update notification_targets set lease_id = $2, leased_until = now() + interval '${leaseInterval}'
      where id = $1 and (leased_until is null or leased_until <= now())
      returning id, organization_id, rule_id, type, shown, sealed_settings, disabled_at, disabled_reason,
        failures, open_until`,
    [targetId, leaseId],
  )
  return rows[0]
}

/** The one that has been due for longest. */
export async function nextDueDelivery(
  pg: Pool,
  targetId: string,
  now: Date,
): Promise<DueDelivery | undefined> {
  const { rows } = await pg.query<DueDelivery>(
    `select id, payload, is_test, attempt_count, coalesce(replayed_at, created_at) as since
       from notification_deliveries
      where target_id = $1 and next_attempt_at <= $2 and state = 'pending'
      order by next_attempt_at, id limit 1`,
    [targetId, now],
  )
  return rows[0]
}

export interface AttemptResult {
  readonly deliveryId: string
  readonly attempt: Attempt
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly nextAttemptAt: Date | null
  readonly target: {
    readonly failures: number
    readonly openUntil: Date | null
    /** Set when the target is to be disabled. */
    readonly disabledReason: string | null
  }
}

/**
 * Stores the result of an attempt and extends the lease. False if the lease was lost: the delivery
 * has its attempt, and another worker goes on.
 */
export async function recordAttempt(
  pg: Pool,
  lease: Lease,
  result: AttemptResult,
  now: Date,
): Promise<boolean> {
  return inTransaction(pg, async (client) => {
    const { failures, openUntil, disabledReason } = result.target
    // The target first: every transaction that locks both does it in this order.
    const { rowCount } = await client.query(
      `update notification_targets set failures = $3, open_until = $4, leased_until = now() + interval '${leaseInterval}',
         disabled_at = coalesce(disabled_at, case when $5::text is not null then $6::timestamptz end),
         disabled_reason = case when disabled_at is null then $5 else disabled_reason end
        where id = $1 and lease_id = $2`,
      [lease.targetId, lease.leaseId, failures, openUntil, disabledReason, now],
    )
    const finishedAt = result.state === 'pending' ? null : now
    await client.query(
      `update notification_deliveries set state = $2, next_attempt_at = $3, finished_at = $4,
         attempt_count = attempt_count + 1, attempts = ${withAttempt('$5')}
        where id = $1 and state = 'pending'`,
      [
        result.deliveryId,
        result.state,
        result.nextAttemptAt,
        finishedAt,
        storedJson([result.attempt]),
      ],
    )
    return rowCount === 1
  })
}

/** Ends all pending deliveries of a disabled target. Returns how many they were. */
export async function failPending(
  pg: Pool,
  targetId: string,
  { error, now }: { readonly error: string; readonly now: Date },
): Promise<number> {
  const attempt: Attempt = {
    at: now.toISOString(),
    status: null,
    latency_ms: 0,
    error,
    response: null,
  }
  let failed = 0
  while (true) {
    const { rowCount } = await pg.query(
      `update notification_deliveries set state = 'failed', next_attempt_at = null, finished_at = $2,
         attempts = ${withAttempt('$3')}
        where id in (
          select id from notification_deliveries where target_id = $1 and state = 'pending' limit ${rowsPerStatementMax}
        ) and state = 'pending'`,
      [targetId, now, storedJson([attempt])],
    )
    failed += rowCount ?? 0
    if ((rowCount ?? 0) < rowsPerStatementMax) return failed
  }
}

const overduePerRoundMax = 50_000

/**
 * Ends deliveries that have been due for as long as they may be retried: they waited behind others
 * for a receiver that does not answer, or no worker was running. So what waits for a receiver that
 * never returns does not grow without end. Returns how many.
 */
export async function failOverdue(pg: Pool, now: Date): Promise<number> {
  const attempt: Attempt = {
    at: now.toISOString(),
    status: null,
    latency_ms: 0,
    error: 'It could not be sent for three days, because the receiver did not accept those before.',
    response: null,
  }
  const before = new Date(now.getTime() - retryWindowMs)
  let failed = 0
  while (failed < overduePerRoundMax) {
    const { rowCount } = await pg.query(
      `update notification_deliveries set state = 'failed', next_attempt_at = null, finished_at = $2,
         attempts = ${withAttempt('$3')}
        where id in (
          select id from notification_deliveries where state = 'pending' and next_attempt_at < $1
           order by next_attempt_at limit ${rowsPerStatementMax} for update skip locked
        ) and state = 'pending'`,
      [before, now, storedJson([attempt])],
    )
    failed += rowCount ?? 0
    if ((rowCount ?? 0) < rowsPerStatementMax) break
  }
  return failed
}

/** The last attempts with one more, a list of JSON. */
const withAttempt = (added: string) => `(
  select jsonb_agg(one order by position)
    from jsonb_array_elements(attempts || ${added}::jsonb) with ordinality as list (one, position)
   where position > jsonb_array_length(attempts) + 1 - ${attemptsKept})`

export interface Release {
  /** Nothing is sent before then. */
  readonly openUntil: Date | null
  /** Deliveries were sent, and more are due. */
  readonly hasMore: boolean
}

/**
 * Ends the lease and enqueues the job for the next pending delivery, if there is one. Unless
 * something was sent, it does not run at once, so that clocks that differ make no busy loop.
 */
export async function releaseTarget(
  pg: Pool,
  { targetId, leaseId }: Lease,
  { openUntil, hasMore }: Release,
): Promise<void> {
  await inTransaction(pg, async (client) => {
    await client.query(
      'update notification_targets set lease_id = null, leased_until = null where id = $1 and lease_id = $2',
      [targetId, leaseId],
    )
    const { rows } = await client.query<{ next: Date }>(
      `select greatest(next_attempt_at, $2) as next from notification_deliveries
        where target_id = $1 and state = 'pending' and next_attempt_at is not null
        order by next_attempt_at, id limit 1`,
      [targetId, openUntil],
    )
    const next = rows[0]?.next
    if (next === undefined) return
    const pause = hasMore ? '' : ` + interval '${leasedRetryInterval}'`
    const runAt = `greatest($2::timestamptz, now()${pause})`
    await client.query(`select ${addJobCall('$1', runAt)}`, [targetId, next])
  })
}

/** Lets the job run again a moment later, because another worker sends to the target now. */
export async function waitForLease(pg: Pool, targetId: string): Promise<void> {
  await pg.query(
    `select ${addJobCall('$1', `now() + interval '${leasedRetryInterval}'`)} from notification_targets where id = $1::uuid`,
    [targetId],
  )
}

/**
 * Keeps the time of a job that waits already: it was enqueued for a new delivery while this one was
 * running, and enqueues the next one itself.
 */
function addJobCall(targetId: string, runAt: string): string {
  return `graphile_worker.add_job('deliver', json_build_object('target_id', ${targetId}::text),
    job_key := 'deliver:' || ${targetId}::text, run_at := ${runAt}, job_key_mode := 'preserve_run_at')`
}

/**
 * Enqueues the jobs of targets with due deliveries: a job may be lost with the worker that ran it,
 * or end after many failures. Returns how many.
 */
export async function resumeDeliveries(pg: Pool, now: Date): Promise<number> {
  const { rowCount } = await pg.query(
    `select graphile_worker.add_job('deliver', json_build_object('target_id', id::text),
       job_key := 'deliver:' || id, run_at := greatest(now(), leased_until))
       from notification_targets
      where (open_until is null or open_until <= $1) and id in (
        select target_id from notification_deliveries where state = 'pending' and next_attempt_at <= $1
      ) order by random() limit ${targetsPerRoundMax}`,
    [now],
  )
  return rowCount ?? 0
}
