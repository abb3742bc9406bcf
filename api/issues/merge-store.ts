/**
 * Queries that merge and unmerge issues. Each one runs in a transaction that holds `lockMerging`,
 * so one transaction per project moves hashes at a time. Commits of the workers meanwhile add
 * counts to issues that are not locked.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'

/** Merges that a hash remembers, so that each can be undone. */
const mergesRememberedMax = 32
/** Bounds the search in a chain of merged issues; real chains are far shorter. */
const hopsMax = 10_000

/**
 * Until the transaction ends, no other transaction merges, unmerges or deletes issues of the
 * project.
 */
export async function lockMerging(client: Database, projectId: ProjectId): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('issue merging', $1))`, [
    projectId,
  ])
}

/**
 * The id of the issue that has the events of this one: the issue itself, unless it was merged.
 * Returns undefined if there is no such issue.
 */
export async function findIssueEnd(
  client: Database,
  issue: { projectId: ProjectId; id: string },
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `with recursive way (id, merged_into, hops) as (
       select id, merged_into, 0 from issues where project_id = $1 and id = $2
       union all
       select next.id, next.merged_into, hops + 1 from way join issues next on next.id = way.merged_into
       where hops < ${hopsMax}
     )
     select id from way where merged_into is null`,
    [issue.projectId, issue.id],
  )
  return rows[0]?.id
}

/** Locks the issues, which waits for running commits. Returns how many of them exist. */
export async function lockIssues(client: Database, issueIds: readonly string[]): Promise<number> {
  const { rowCount } = await client.query(
    'select from issues where id = any($1::uuid[]) order by id for update',
    [issueIds],
  )
  return rowCount ?? 0
}

/** The ids of the issue and of all issues that were merged into it, directly or indirectly. */
export async function listMergedInto(client: Database, issueId: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with recursive part (id) as (
       select $1::uuid union all select issues.id from issues join part on merged_into = part.id
     )
     select id from part`,
    [issueId],
  )
  return rows.map(({ id }) => id)
}

export async function countHashes(client: Database, issueIds: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*) from issue_hashes where issue_id = any($1::uuid[])',
    [issueIds],
  )
  return rows[0]?.count ?? 0
}

export interface OwnedHash {
  readonly hash: string
  readonly issue_id: string
  readonly came_from: string[]
  readonly split_from: string | null
}

export async function readHashes(
  client: Database,
  lookup: { projectId: ProjectId; hashes: readonly string[] },
): Promise<OwnedHash[]> {
  const { rows } = await client.query<OwnedHash>(
    `select hash, issue_id, came_from, split_from from issue_hashes
     where project_id = $1 and hash = any($2::uuid[]) order by hash`,
    [lookup.projectId, lookup.hashes],
  )
  return rows
}

/** Moves all hashes of one issue to another. Each hash remembers the former issue. */
export async function moveAllHashes(
  client: Database,
  move: { from: string; to: string },
): Promise<string[]> {
  const { rows } = await client.query<{ hash: string }>(
    `update issue_hashes
     set issue_id = $2, came_from = (came_from || $1::uuid)[cardinality(came_from) + 2 - ${mergesRememberedMax}:]
     where issue_id = $1 returning hash`,
    [move.from, move.to],
  )
  return rows.map(({ hash }) => hash)
}

/**
 * Gives hashes to another issue. Each keeps the first `remembered` of the issues that it came from.
 */
export async function giveHashes(
  client: Database,
  move: {
    projectId: ProjectId
    from: string
    to: string
    hashes: readonly { hash: string; remembered: number }[]
  },
): Promise<void> {
  await client.query(
    `update issue_hashes set issue_id = $3, split_from = $2, came_from = came_from[:remembered]
     from unnest($4::uuid[], $5::int[]) as moved (hash, remembered)
     where project_id = $1 and issue_hashes.hash = moved.hash and issue_id = $2`,
    [
      move.projectId,
      move.from,
      move.to,
      move.hashes.map(({ hash }) => hash),
      move.hashes.map(({ remembered }) => remembered),
    ],
  )
}

export async function setMergedInto(
  client: Database,
  issueId: string,
  into: string | null,
): Promise<void> {
  await client.query('update issues set merged_into = $2 where id = $1', [issueId, into])
}

/**
 * Computes counts, times, releases and names of an issue from its hashes. An issue without events
 * keeps its times and names. An ignored issue waits for as many more events as before. What was
 * expected of its former hashes is forgotten: other events would look like growth.
 */
export async function sumIssue(client: Database, issueId: string): Promise<void> {
  await client.query(
    `with forgotten as (delete from issue_forecasts where issue_id = $1)
     update issues set
       count = total.count,
       ignored_until_count = ignored_until_count + total.count - issues.count,
       sampled_count = total.sampled_count,
       first_seen = coalesce(total.first_seen, issues.first_seen),
       last_seen = coalesce(total.last_seen, issues.last_seen),
       first_release = case when total.count = 0 then issues.first_release else total.first_release end,
       last_release = case when total.count = 0 then issues.last_release else total.last_release end,
       title = coalesce(total.title, issues.title),
       culprit = coalesce(total.culprit, issues.culprit),
       level = coalesce(total.level, issues.level),
       platform = coalesce(total.platform, issues.platform)
     from (
       select coalesce(sum(count), 0) as count, coalesce(sum(sampled_count), 0) as sampled_count,
         min(first_seen) as first_seen, max(last_seen) as last_seen,
         (array_agg(first_release order by first_seen, hash) filter (where first_release is not null))[1] as first_release,
         (array_agg(last_release order by last_seen desc, hash) filter (where last_release is not null))[1] as last_release,
         (array_agg(title order by last_seen desc, hash))[1] as title,
         (array_agg(culprit order by last_seen desc, hash))[1] as culprit,
         (array_agg(level order by last_seen desc, hash))[1] as level,
         (array_agg(platform order by last_seen desc, hash))[1] as platform
       from issue_hashes join hash_sums using (project_id, hash)
       where issue_id = $1
     ) as total
     where issues.id = $1`,
    [issueId],
  )
}

/** Inserts an issue with no events, named like the issue that it is split off. Its state is new. */
export async function insertSplitIssue(
  client: Database,
  issue: { id: string; from: string; projectId: ProjectId },
): Promise<void> {
  await client.query(
    `with number as (
       insert into issue_numbers (project_id, last_no) values ($3, 1)
       on conflict (project_id) do update set last_no = issue_numbers.last_no + 1
       returning last_no
     )
     insert into issues (id, project_id, short_no, title, culprit, level, platform, substatus, count,
       first_seen, last_seen, triage_at, triage_reason)
     select $1, project_id, last_no, title, culprit, level, platform, 'new', 0, first_seen, last_seen, now(), 'new'
     from issues, number where id = $2`,
    [issue.id, issue.from, issue.projectId],
  )
}

export interface MergedIssue {
  readonly id: string
  readonly short_no: number
  readonly title: string
}

/** The issues that were merged directly into the issue, newest first by id. */
export async function listMergedIssues(pg: Database, issueId: string): Promise<MergedIssue[]> {
  const { rows } = await pg.query<MergedIssue>(
    `select id, short_no, title from issues where merged_into = $1 order by id desc limit 100`,
    [issueId],
  )
  return rows
}
