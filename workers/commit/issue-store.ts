/**
 * Issues, their hashes and releases, as a commit writes them. Each function runs one query in the
 * commit's transaction.
 */
import type { PoolClient } from '#platform/postgres.ts'
import { dashed, type ProjectId, undashed } from '#schemas/ids.ts'
import type { IssueSum } from '../digest/issue-sums.ts'
import type { Regression } from '../issue-states/settled-states.ts'
import { type CountedSum, type HashClaim, type IssueChange, ownerKey } from './assign-issues.ts'
import type { ReleaseChange } from './merge-releases.ts'

/**
 * Returns those of the given projects that exist: one may have been deleted while its events were
 * in the stream.
 */
export async function readExistingProjects(
  client: PoolClient,
  projectIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await client.query<{ dsn_id: number }>(
    'select dsn_id from projects where dsn_id = any($1) order by dsn_id for key share',
    [projectIds],
  )
  return new Set(rows.map((row) => row.dsn_id))
}

/** Returns issue ids by `ownerKey`, for the hashes of the sums that have an owner. */
export async function readOwners(
  client: PoolClient,
  sums: readonly IssueSum[],
): Promise<Map<string, string>> {
  const wanted = sums.flatMap(({ projectId, hashes }) =>
    hashes.map(({ hash }) => ({ projectId, hash })),
  )
  const { rows } = await client.query<{ project_id: number; hash: string; issue_id: string }>(
    `select project_id, hash, issue_id from issue_hashes
     join unnest($1::bigint[], $2::uuid[]) as wanted (project_id, hash) using (project_id, hash)`,
    [wanted.map(({ projectId }) => projectId), wanted.map(({ hash }) => dashed(hash))],
  )
  return new Map(rows.map((row) => [ownerKey(row.project_id, undashed(row.hash)), row.issue_id]))
}

/**
 * Lets one commit at a time create issues of a project, until its transaction ends: two partitions
 * that get a new error at the same moment create one issue for it.
 */
export async function lockIssueCreation(
  client: PoolClient,
  projectIds: readonly ProjectId[],
): Promise<void> {
  const inOrder = [...new Set(projectIds)].sort((a, b) => a - b)
  for (const projectId of inOrder) {
    await client.query(`select pg_advisory_xact_lock(hashtextextended('issue creation', $1))`, [
      projectId,
    ])
  }
}

/**
 * Locks the issues: until the transaction ends none of them is deleted, and none loses or gets a
 * hash. Returns how many exist and were not merged into another one meanwhile: a merged issue may
 * have no hash.
 */
export async function lockIssues(client: PoolClient, issueIds: readonly string[]): Promise<number> {
  const { rowCount } = await client.query(
    'select from issues where id = any($1) and merged_into is null order by id for no key update',
    [issueIds],
  )
  return rowCount ?? 0
}

export async function insertHashes(
  client: PoolClient,
  claims: readonly HashClaim[],
): Promise<void> {
  await client.query(
    `insert into issue_hashes (project_id, hash, issue_id, explanation)
     select * from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::jsonb[])`,
    [
      claims.map(({ projectId }) => projectId),
      claims.map(({ hash }) => dashed(hash)),
      claims.map(({ issueId }) => issueId),
      claims.map(({ explanation }) => explanation),
    ],
  )
}

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

/** Reserves `count` issue numbers of the project and returns the first. */
export async function takeIssueNumbers(
  client: PoolClient,
  projectId: ProjectId,
  count: number,
): Promise<number> {
  const { rows } = await client.query<{ last_no: number }>(
    `insert into issue_numbers (project_id, last_no) values ($1, $2)
     on conflict (project_id) do update set last_no = issue_numbers.last_no + excluded.last_no
     returning last_no`,
    [projectId, count],
  )
  const last = rows[0]
  if (last === undefined) throw new Error('reserving issue numbers returned no row')
  return last.last_no - count + 1
}

/**
 * Adds the counts and creates the new issues. Existing ones are locked, and all are ordered by id.
 */
export async function upsertIssues(
  client: PoolClient,
  changes: readonly (IssueChange & { readonly shortNo: number })[],
): Promise<void> {
  const column = <T>(read: (sum: IssueSum) => T): T[] => changes.map(({ sum }) => read(sum))
  await client.query(
    `insert into issues (id, project_id, short_no, substatus, count, sampled_count, first_seen, last_seen,
       first_release, last_release, title, culprit, level, platform)
     select id, project_id, short_no, 'new', count, sampled_count,
       to_timestamp(first_seen / 1000.0), to_timestamp(last_seen / 1000.0),
       nullif(first_release, ''), nullif(last_release, ''), title, culprit, level, platform
     from unnest($1::uuid[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[],
       $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
       as change (id, project_id, short_no, count, sampled_count, first_seen, last_seen,
         first_release, last_release, title, culprit, level, platform)
     order by id
     on conflict (id) do update set ${addedColumns('issues')}`,
    [
      changes.map(({ issueId }) => issueId),
      column((sum) => sum.projectId),
      changes.map(({ shortNo }) => shortNo),
      ...sumColumns(column),
    ],
  )
}

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

/**
 * Reopens resolved issues with events that were received after the resolution. The rows are locked
 * by `upsertIssues`.
 */
export async function regressIssues(
  client: PoolClient,
  changes: readonly IssueChange[],
): Promise<Map<string, Regression>> {
  const { rows } = await client.query<{ id: string; release: string | null }>(
    `with regressed as (
       update issues set status = 'unresolved', substatus = 'regressed', resolved_at = null
       from unnest($1::uuid[], $2::float8[]) as change (id, received_at)
       where issues.id = change.id and issues.status = 'resolved'
         and issues.resolved_at < to_timestamp(change.received_at / 1000.0)
       returning issues.id, issues.last_release as release
     ), noted as (
       insert into issue_activity (issue_id, kind, actor, data)
       select id, 'regressed', '{"type": "system"}', jsonb_build_object('release', release) from regressed
     )
     select id, release from regressed`,
    [changes.map(({ issueId }) => issueId), changes.map(({ sum }) => sum.lastReceivedMs)],
  )
  return new Map(rows.map(({ id, release }) => [id, { release }]))
}

/**
 * The releases must be ordered by project and version, because two commits must lock them in the
 * same order.
 */
export async function upsertReleases(
  client: PoolClient,
  releases: readonly ReleaseChange[],
): Promise<void> {
  await client.query(
    `insert into releases (project_id, version, first_event_at, last_event_at, event_count,
       first_session_at, last_session_at)
     select project_id, version, to_timestamp(first_event / 1000.0), to_timestamp(last_event / 1000.0),
       event_count, to_timestamp(first_session / 1000.0), to_timestamp(last_session / 1000.0)
     from unnest($1::bigint[], $2::text[], $3::float8[], $4::float8[], $5::bigint[], $6::float8[], $7::float8[])
       as sum (project_id, version, first_event, last_event, event_count, first_session, last_session)
     order by project_id, version
     on conflict (project_id, version) do update set
       first_event_at = least(releases.first_event_at, excluded.first_event_at),
       last_event_at = greatest(releases.last_event_at, excluded.last_event_at),
       event_count = releases.event_count + excluded.event_count,
       first_session_at = least(releases.first_session_at, excluded.first_session_at),
       last_session_at = greatest(releases.last_session_at, excluded.last_session_at)`,
    [
      releases.map(({ projectId }) => projectId),
      releases.map(({ version }) => version),
      releases.map(({ firstEventMs }) => firstEventMs),
      releases.map(({ lastEventMs }) => lastEventMs),
      releases.map(({ eventCount }) => eventCount),
      releases.map(({ firstSessionMs }) => firstSessionMs),
      releases.map(({ lastSessionMs }) => lastSessionMs),
    ],
  )
}
