/**
 * Issues, their hashes and releases, as a commit writes them. Each function runs one query in the
 * commit's transaction.
 */
import type { PoolClient } from '#platform/postgres.ts'
import { dashed, type ProjectId, undashed } from '#schemas/ids.ts'
import type { IssueSum } from '../digest/issue-sums.ts'
import { type HashClaim, ownerKey } from './assign-issues.ts'
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
