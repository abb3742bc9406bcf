/** Adds the counts of a range to hashes and issues. Each function runs one query. */
import type { PoolClient } from '#platform/postgres.ts'
import { dashed } from '#schemas/ids.ts'
import { type IssueSum, receivedHour } from '../digest/issue-sums.ts'
import { hourCountMin } from '../escalation/forecast.ts'
import type { TouchedIssue } from '../issue-states/touched-issue.ts'
import type { CountedSum, IssueChange } from './assign-issues.ts'

/**
 * Adds the counts to each first hash, if the expected issue still owns it. Returns the number of
 * such hashes. The issues are locked, so no other transaction writes to the rows of their hashes.
 */
export async function addHashSums(
  client: PoolClient,
  counted: readonly CountedSum[],
): Promise<number> {
  const column = <T>(read: (sum: IssueSum) => T): T[] => counted.map(({ sum }) => read(sum))
  const { rowCount } = await client.query(
    `insert into hash_sums as known (project_id, hash, count, sampled_count, first_seen, last_seen,
       first_release, last_release, title, culprit, level, platform)
     select project_id, hash, count, sampled_count, to_timestamp(first_seen / 1000.0), to_timestamp(last_seen / 1000.0),
       nullif(first_release, ''), nullif(last_release, ''), title, culprit, level, platform
     from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[],
       $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
       as change (project_id, hash, issue_id, count, sampled_count, first_seen, last_seen,
         first_release, last_release, title, culprit, level, platform)
     join issue_hashes using (project_id, hash, issue_id)
     on conflict (project_id, hash) do update set ${addedColumns('known')}`,
    [
      column((sum) => sum.projectId),
      column((sum) => dashed(sum.hashes[0]!.hash)),
      counted.map(({ issueId }) => issueId),
      ...sumColumns(column),
    ],
  )
  return rowCount ?? 0
}

/** A larger count never arrives, and would make the commit throw. */
const safeMax = Number.MAX_SAFE_INTEGER

/** An issue without a forecast was quiet if it had at most one event an hour of a week. */
const quietCountMax = 168
/** Few events are never too many. The next escalation of an issue is a day after the last one. */
const hourIsCompared = `hour_count > ${hourCountMin}
  and (last_escalated_at is null or last_escalated_at <= hour_at - interval '1 day')`

/** Expected events and limit of the hour, of which 1970 began with the 73rd of a week. */
const forecastOfHour = `(
  select array[expected[hour_of_week], limits[hour_of_week]] from issue_forecasts,
    (select ((extract(epoch from hour_at)::bigint / 3600 + 72) % 168)::int + 1 as hour_of_week) as hour
  where issue_id = touched.id)`

/** How many events of the hour are too many: of the forecast, or of an issue that was quiet. */
const hourLimit = `coalesce(forecast[2], case
  when created_at < hour_at - interval '7 days' and count - hour_count <= ${quietCountMax}
    and ${hourIsCompared}
  then ${hourCountMin} end)`

/**
 * Adds the counts and creates the new issues, which enter the triage queue. Existing ones are
 * locked, and all are ordered by id. Returns the issues whose state the events may change.
 */
export async function upsertIssues(
  client: PoolClient,
  changes: readonly (IssueChange & { readonly shortNo: number })[],
): Promise<readonly TouchedIssue[]> {
  const column = <T>(read: (sum: IssueSum) => T): T[] => changes.map(({ sum }) => read(sum))
  const { rows } = await client.query<TouchedIssue>(
    `with touched as (
       insert into issues (id, project_id, short_no, substatus, count, sampled_count, first_seen, last_seen,
         first_release, last_release, title, culprit, level, platform,
         hour_at, hour_count, triage_at, triage_reason)
       select id, project_id, short_no, 'new', count, sampled_count,
         to_timestamp(first_seen / 1000.0), to_timestamp(last_seen / 1000.0),
         nullif(first_release, ''), nullif(last_release, ''), title, culprit, level, platform,
         to_timestamp(hour * 3600.0), hour_count, to_timestamp(received / 1000.0), 'new'
       from unnest($1::uuid[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[],
         $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
         $14::int[], $15::bigint[], $16::float8[])
         as change (id, project_id, short_no, count, sampled_count, first_seen, last_seen,
           first_release, last_release, title, culprit, level, platform, hour, hour_count, received)
       order by id
       on conflict (id) do update set ${addedColumns('issues')}, ${hourColumns}
       returning id, status, count, created_at, resolved_at, resolved_in, resolved_release, resolved_commit,
         ignored_until, ignored_until_count, ignored_until_users, ignored_until_escalating,
         last_escalated_at, hour_at, hour_count
     )
     select id, status, count, resolved_at as "resolvedAt", resolved_in as "resolvedIn",
       resolved_release as "resolvedRelease", resolved_commit as "resolvedCommit",
       ignored_until as "ignoredUntil", least(ignored_until_count, ${safeMax}) as "ignoredUntilCount",
       least(ignored_until_users, ${safeMax}) as "ignoredUntilUsers", ignored_until_escalating as "ignoredUntilEscalating",
       hour_at as "hourAt", hour_count as "hourCount", expected, "hourLimit"
     from (
       select touched.*, forecast[1] as expected, ${hourLimit} as "hourLimit"
       from touched cross join lateral (select case when ${hourIsCompared} then ${forecastOfHour} end as forecast) of_hour
     ) touched
     where status = 'resolved'
       or status = 'ignored' and (ignored_until is not null or ignored_until_count is not null
         or ignored_until_users is not null or ignored_until_escalating)
       or status = 'unresolved' and hour_count > "hourLimit"`,
    [
      changes.map(({ issueId }) => issueId),
      column((sum) => sum.projectId),
      changes.map(({ shortNo }) => shortNo),
      ...sumColumns(column),
      column((sum) => receivedHour(sum.lastReceivedMs)),
      column((sum) => sum.hourCount),
      column((sum) => sum.lastReceivedMs),
    ],
  )
  return rows
}

/**
 * Events of the latest hour in which one was received. An hour that is still to come is left when a
 * clock that was ahead has been corrected.
 */
const hourBegins = `(issues.hour_at is null or issues.hour_at < excluded.hour_at
  or excluded.hour_at < issues.hour_at and now() + interval '2 hours' < issues.hour_at)`
const hourColumns = `
  hour_at = case when ${hourBegins} then excluded.hour_at else issues.hour_at end,
  hour_count = case when ${hourBegins} then excluded.hour_count
    when excluded.hour_at = issues.hour_at then issues.hour_count + excluded.hour_count
    else issues.hour_count end`

/**
 * Columns that events add to a row that counts them: later events name it, and events without a
 * release do not change its releases.
 */
function addedColumns(known: string): string {
  const latest = (name: string, value = `excluded.${name}`) =>
    `${name} = case when excluded.last_seen >= ${known}.last_seen then ${value} else ${known}.${name} end`
  return `count = ${known}.count + excluded.count,
    sampled_count = ${known}.sampled_count + excluded.sampled_count,
    first_seen = least(${known}.first_seen, excluded.first_seen),
    last_seen = greatest(${known}.last_seen, excluded.last_seen),
    first_release = case when excluded.first_seen < ${known}.first_seen
      then coalesce(excluded.first_release, ${known}.first_release)
      else coalesce(${known}.first_release, excluded.first_release) end,
    ${latest('last_release', `coalesce(excluded.last_release, ${known}.last_release)`)},
    ${['title', 'culprit', 'level', 'platform'].map((name) => latest(name)).join(', ')}`
}

/** Counts, times, releases and names, in the order of both tables' columns. */
function sumColumns(column: <T>(read: (sum: IssueSum) => T) => T[]): unknown[][] {
  return [
    column((sum) => sum.eventCount),
    column((sum) => sum.sampledCount),
    column((sum) => sum.firstSeenMs),
    column((sum) => sum.lastSeenMs),
    column((sum) => sum.firstRelease),
    column((sum) => sum.lastRelease),
    column((sum) => sum.title),
    column((sum) => sum.culprit),
    column((sum) => sum.level),
    column((sum) => sum.platform),
  ]
}
