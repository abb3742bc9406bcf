/** Windows of rules with thresholds. Each function runs one query for all rules of a commit. */
import type { PoolClient } from '#platform/postgres.ts'

export interface StepCount {
  readonly ruleId: string
  readonly issueId: string
  readonly stepSeconds: number
  /** Seconds since 1970. */
  readonly start: number
  readonly count: number
}

export async function addCounts(client: PoolClient, counts: readonly StepCount[]): Promise<void> {
  await client.query(
    `insert into alert_counts as known (rule_id, issue_id, step_seconds, minute, count)
     select rule_id, issue_id, step, to_timestamp(start), count
     from unnest($1::uuid[], $2::uuid[], $3::int[], $4::bigint[], $5::bigint[])
       as added (rule_id, issue_id, step, start, count)
     order by rule_id, issue_id, step, start
     on conflict (rule_id, issue_id, step_seconds, minute) do update set count = known.count + excluded.count`,
    [
      counts.map(({ ruleId }) => ruleId),
      counts.map(({ issueId }) => issueId),
      counts.map(({ stepSeconds }) => stepSeconds),
      counts.map(({ start }) => start),
      counts.map(({ count }) => count),
    ],
  )
}

export interface SeenUser {
  readonly ruleId: string
  readonly issueId: string
  /** Start of the window that is compared with the one before; 0 for a sliding window. */
  readonly period: number
  readonly userHash: number
  readonly atMs: number
}

/** A user who was noted less than this ago is not noted again. */
const userPrecision = '30 seconds'

export async function addUsers(client: PoolClient, users: readonly SeenUser[]): Promise<void> {
  await client.query(
    `insert into alert_users as known (rule_id, issue_id, period, user_hash, seen_at)
     select rule_id, issue_id, to_timestamp(period), user_hash, max(to_timestamp(at_ms / 1000.0))
     from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::float8[])
       as added (rule_id, issue_id, period, user_hash, at_ms)
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
     on conflict (rule_id, issue_id, period, user_hash) do update set seen_at = excluded.seen_at
       where known.seen_at < excluded.seen_at - interval '${userPrecision}'`,
    [
      users.map(({ ruleId }) => ruleId),
      users.map(({ issueId }) => issueId),
      users.map(({ period }) => period),
      users.map(({ userHash }) => userHash),
      users.map(({ atMs }) => atMs),
    ],
  )
}

export interface WindowCheck {
  /** Position of the check in the caller's list. */
  readonly no: number
  readonly rule_id: string
  readonly issue_id: string
  readonly window_seconds: number
  readonly step_seconds: number
  readonly threshold: number
  /** With fewer events altogether the issue cannot have passed the threshold. */
  readonly events_min: number
  readonly at: string
  readonly cooldown_seconds: number
}

export interface WindowSum {
  readonly no: number
  readonly now: number
  readonly before: number
}

/**
 * Of the checks, those whose issue is open and whose rule may fire about it. The others need no
 * sum.
 */
const openChecks = `
  select checked.*, at - make_interval(secs => window_seconds) as since
  from jsonb_to_recordset($1) as checked (no int, rule_id uuid, issue_id uuid, window_seconds int,
    step_seconds int, threshold bigint, events_min bigint, at timestamptz, cooldown_seconds int)
  join issues on issues.id = issue_id and status = 'unresolved' and merged_into is null
    and issues.count >= events_min
  left join alert_subjects subject
    on subject.rule_id = checked.rule_id and subject.subject = 'issue:' || checked.issue_id
  where fired_at is null or cooldown_seconds = 0 or fired_at <= at - make_interval(secs => cooldown_seconds)
    or fired_at > now() + interval '1 hour'`

/** Events of the window that ends at `at`, and of the one before it. */
export async function sumWindows(
  client: PoolClient,
  checks: readonly WindowCheck[],
): Promise<readonly WindowSum[]> {
  // The share of a step that lies after an instant.
  const after = (instant: string) =>
    `least(1.0, greatest(0.0, (extract(epoch from minute) + step_seconds - extract(epoch from ${instant})) / step_seconds))`
  const { rows } = await client.query<WindowSum>(
    `select no, in_window as now, in_both - in_window as before
     from (${openChecks}) checked cross join lateral (
       select coalesce(sum(count * ${after('since')}), 0)::float8 as in_window,
         coalesce(sum(count * ${after('since - make_interval(secs => window_seconds)')}), 0)::float8 as in_both
       from alert_counts counted
       where counted.rule_id = checked.rule_id and counted.issue_id = checked.issue_id
         and counted.step_seconds = checked.step_seconds
         and minute > since - make_interval(secs => window_seconds + step_seconds) and minute <= at
     ) summed`,
    [JSON.stringify(checks)],
  )
  return rows
}

/** Users of the sliding window that ends at `at`, counted up to one above the threshold. */
export async function countUsers(
  client: PoolClient,
  checks: readonly WindowCheck[],
): Promise<readonly WindowSum[]> {
  const { rows } = await client.query<WindowSum>(
    `select no, users::float8 as now, 0::float8 as before
     from (${openChecks}) checked cross join lateral (
       select count(*) as users from (
         select from alert_users seen
         where seen.rule_id = checked.rule_id and seen.issue_id = checked.issue_id
           and seen.period = 'epoch' and seen_at > since and seen_at <= at + interval '1 minute'
         limit threshold + 1
       ) seen
     ) counted`,
    [JSON.stringify(checks)],
  )
  return rows
}

/**
 * Users of the window that holds `at` and of the one before. Windows begin at multiples of their
 * length.
 */
export async function compareUsers(
  client: PoolClient,
  checks: readonly WindowCheck[],
): Promise<readonly WindowSum[]> {
  const { rows } = await client.query<WindowSum>(
    `select no, (select ${countOf('0')})::float8 as now, (select ${countOf('window_seconds')})::float8 as before
     from (${openChecks}) checked`,
    [JSON.stringify(checks)],
  )
  return rows
}

function countOf(secondsBefore: string): string {
  return `count(*) from alert_users seen
    where seen.rule_id = checked.rule_id and seen.issue_id = checked.issue_id and seen.period = to_timestamp(
      floor(extract(epoch from at) / window_seconds) * window_seconds - ${secondsBefore})`
}
