/**
 * Issues without events in Postgres: finding them, and deleting them as a person would
 * (api/issues/delete-issue.ts), under the same locks in the same order: merges in the project, the
 * project, issues by id. None of the locks is waited for: what another transaction holds is in use
 * and left to the next run. A commit that waits for a deleted issue finds it gone, and creates one.
 */
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { RetentionDays } from '#schemas/retention/policy.ts'
import { byIndexes } from './indexed-query-store.ts'
import type { SweepPosition } from './sweep-position-store.ts'

export interface IssueLimits {
  readonly now: Date
  readonly days: RetentionDays
}

export interface ExpiredIssue {
  readonly id: string
  readonly projectId: ProjectId
}

/**
 * SQL: the time before which an issue was last seen, if it may go. $1 is the time, $2 the days of
 * issues, $3 those of ignored issues, $4 those of events.
 */
export const issueLimit = `($1::timestamptz - greatest(
    case when issue.status = 'ignored' then $3::int else $2::int end,
    coalesce((project.settings ->> 'retention_days')::int, $4::int)
  ) * interval '24 hours')`

export function limitValues({ now, days }: IssueLimits): readonly unknown[] {
  return [now, days.issues, days.ignoredIssues, days.events]
}

/** Nothing was counted into the issue, and nobody changed it, since the limit. */
const isExpired = `issue.merged_into is null and issue.last_seen < ${issueLimit}
  and coalesce(
    (select max(done.at) from issue_activity done where done.issue_id = issue.id) < ${issueLimit},
    true)`

export interface IssuePage {
  readonly examined: number
  readonly expired: readonly ExpiredIssue[]
  readonly last: SweepPosition | undefined
}

export async function examineIssues(
  pg: Pool,
  limits: IssueLimits,
  page: { after: SweepPosition | undefined; rowsMax: number },
): Promise<IssuePage> {
  const { rows } = await byIndexes(pg, (client) =>
    client.query<{ id: string; project_id: ProjectId; is_expired: boolean }>(
      `select issue.id, issue.project_id, ${isExpired} as is_expired
     from (select * from issues where $5::uuid is null or id > $5 order by id limit $6) issue
     join projects project on project.dsn_id = issue.project_id
     order by issue.id`,
      [...limitValues(limits), page.after?.[0] ?? null, page.rowsMax],
    ),
  )
  const last = rows.at(-1)
  return {
    examined: rows.length,
    expired: rows
      .filter(({ is_expired }) => is_expired)
      .map(({ id, project_id }) => ({ id, projectId: project_id })),
    last: last && [last.id],
  }
}

/** The grouping hashes of the issues. */
export async function hashesOfIssues(
  pg: Pool,
  issueIds: readonly string[],
): Promise<readonly { issueId: string; hash: string }[]> {
  const { rows } = await pg.query<{ issueId: string; hash: string }>(
    'select issue_id as "issueId", hash from issue_hashes where issue_id = any($1::uuid[])',
    [issueIds],
  )
  return rows
}

/**
 * Locks merges of the project, and the project itself. Returns false if another transaction holds
 * one of them.
 */
export async function tryLockProject(client: PoolClient, projectId: ProjectId): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('issue merging', $1)) as locked`,
    [projectId],
  )
  if (rows[0]?.locked !== true) return false
  const { rowCount } = await client.query(
    'select from projects where dsn_id = $1 for key share skip locked',
    [projectId],
  )
  return rowCount === 1
}

/**
 * Deletes those of the issues that are still expired, with all issues that were merged into them.
 * Returns how many issues were deleted.
 */
export async function deleteExpiredIssues(
  pg: Pool,
  limits: IssueLimits,
  chosen: { projectId: ProjectId; issueIds: readonly string[] },
): Promise<number> {
  return inTransaction(pg, async (client) => {
    if (!(await tryLockProject(client, chosen.projectId))) return 0
    const families = await lockFamilies(client, chosen.issueIds)
    // A statement of its own: it sees what the commits that were waited for have written.
    const { rows } = await client.query<{ id: string }>(
      `select issue.id from issues issue join projects project on project.dsn_id = issue.project_id
       where issue.id = any($5::uuid[]) and issue.project_id = $6 and ${isExpired}`,
      [...limitValues(limits), [...families.keys()], chosen.projectId],
    )
    const roots = rows.map(({ id }) => id)
    if (roots.length === 0) return 0
    await deleteFamilies(client, roots, limits.now)
    return roots.reduce((sum, root) => sum + (families.get(root) ?? 0), 0)
  })
}

/** Returns the sizes of the families of which every issue could be locked, by their root. */
async function lockFamilies(
  client: PoolClient,
  roots: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ root: string; ids: string[] }>(
    `with recursive part (root, id) as (
       select id, id from issues where id = any($1::uuid[])
       union all
       select part.root, issues.id from issues join part on issues.merged_into = part.id
     )
     select root, array_agg(id) as ids from part group by root`,
    [roots],
  )
  const { rows: locked } = await client.query<{ id: string }>(
    'select id from issues where id = any($1::uuid[]) order by id for update skip locked',
    [rows.flatMap(({ ids }) => ids)],
  )
  const held = new Set(locked.map(({ id }) => id))
  return new Map(
    rows
      .filter(({ ids }) => ids.every((id) => held.has(id)))
      .map(({ root, ids }) => [root, ids.length]),
  )
}

const actor = { type: 'system', id: 'retention', label: 'retention' }

/**
 * As a deletion by a person, so that accepted events stay the sum of counts and deletions. The job
 * that it enqueues deletes rows that ClickHouse has not yet removed by itself.
 */
async function deleteFamilies(client: PoolClient, roots: readonly string[], at: Date) {
  await client.query(
    `insert into issue_deletions (project_id, issue_id, short_no, actor, event_count, sampled_count, hashes,
       partitions, generations, committed_seqs, requested_at)
     select project_id, id, short_no, $2, count, sampled_count,
       array(select hash from issue_hashes where issue_id = issues.id order by hash),
       array(select partition from partition_cursors order by partition),
       array(select generation from partition_cursors order by partition),
       array(select committed_seq from partition_cursors order by partition), $3
     from issues where id = any($1::uuid[]) order by id`,
    [roots, actor, at],
  )
  await client.query('delete from issue_hashes where issue_id = any($1::uuid[])', [roots])
  await client.query('delete from issues where id = any($1::uuid[])', [roots])
  const { rows } = await client.query<{ ready: boolean }>(
    `select to_regclass('graphile_worker._private_jobs') is not null as ready`,
  )
  if (rows[0]?.ready === true) {
    await client.query(
      `select graphile_worker.add_job('delete_issue_events', job_key := 'delete_issue_events')`,
    )
  }
}
