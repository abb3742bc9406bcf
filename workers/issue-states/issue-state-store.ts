/** Queries with which a commit reads and changes the states of issues. The rows are locked. */
import type { PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { KnownRelease } from '#schemas/releases/reopens.ts'
import type { Transition } from './plan-transitions.ts'

/** Releases with a commit, of those whose commits are known. */
const releasesWithCommitsMax = 1_000

export interface ReleaseLookup {
  readonly issueId: string
  readonly projectId: ProjectId
  readonly versions: readonly string[]
  /** Also the releases with the commit, of which this is the beginning. */
  readonly commit: string | null
}

/** Returns the releases of each issue's project that were looked up, by issue id and version. */
export async function readReleases(
  client: PoolClient,
  lookups: readonly ReleaseLookup[],
): Promise<Map<string, Map<string, KnownRelease>>> {
  const found = new Map(lookups.map(({ issueId }) => [issueId, new Map<string, KnownRelease>()]))
  const { rows } = await client.query<{
    issue_id: string
    version: string
    first_seen: Date
    has_commits: boolean
    has_commit: boolean
  }>(
    `with lookup as (
       select * from jsonb_to_recordset($1)
         as lookup (issue_id uuid, project_id bigint, versions text[], commit text)
     ), found as (
       select lookup.issue_id, lookup.commit, named.*
       from lookup cross join lateral (
         select version, first_event_at, first_session_at, commits from releases
         where project_id = lookup.project_id and version = any(lookup.versions)
         union all
         (select version, first_event_at, first_session_at, commits from releases
          where lookup.commit is not null and project_id = lookup.project_id and commits <> '{}'
            and version <> all(lookup.versions)
          order by last_heard_at desc, version limit ${releasesWithCommitsMax})
       ) named
     )
     select issue_id, version, least(first_event_at, first_session_at) as first_seen,
       commits <> '{}' as has_commits, has_commit
     from found cross join lateral (
       select commit is not null
         and exists (select from unnest(commits) as one where starts_with(lower(one), commit)) as has_commit
     ) part`,
    [
      JSON.stringify(
        lookups.map(({ issueId, projectId, versions, commit }) => ({
          issue_id: issueId,
          project_id: projectId,
          versions,
          commit,
        })),
      ),
    ],
  )
  for (const row of rows) {
    found.get(row.issue_id)?.set(row.version, {
      version: row.version,
      firstSeenMs: row.first_seen.getTime(),
      hasCommits: row.has_commits,
      hasCommit: row.has_commit,
    })
  }
  return found
}

/** Returns how many users each issue has since it is ignored, for those that got a new one. */
export async function addIgnoredUsers(
  client: PoolClient,
  seen: readonly { readonly issueId: string; readonly userHash: number }[],
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string; ignored_users: number }>(
    `with added as (
       insert into issue_ignored_users (issue_id, user_hash)
       select issue_id, user_hash from unnest($1::uuid[], $2::bigint[]) as seen (issue_id, user_hash)
       order by issue_id, user_hash on conflict do nothing returning issue_id
     ), counted as (
       select issue_id, count(*) as users from added group by issue_id
     )
     update issues set ignored_users = ignored_users + users
     from counted where issues.id = issue_id returning id, ignored_users`,
    [seen.map(({ issueId }) => issueId), seen.map(({ userHash }) => userHash)],
  )
  return new Map(rows.map((row) => [row.id, row.ignored_users]))
}

/**
 * Opens the issues, puts them into the triage queue and writes their activity. An issue that is in
 * the queue already and escalates keeps its place.
 */
export async function writeTransitions(
  client: PoolClient,
  transitions: readonly Transition[],
): Promise<void> {
  await client.query(
    `with change as (
       select id, kind, to_timestamp(at_ms / 1000.0) as at, data
       from unnest($1::uuid[], $2::text[], $3::float8[], $4::jsonb[]) as change (id, kind, at_ms, data)
     ), changed as (
       update issues set status = 'unresolved',
         substatus = case
           when kind = 'regressed' then 'regressed'
           when kind = 'escalating' and status = 'unresolved' then substatus
           else 'ongoing' end,
         resolved_at = null, resolved_in = null, resolved_release = null, resolved_commit = null,
         ignored_until = null, ignored_until_count = null, ignored_until_users = null,
         ignored_until_escalating = false,
         triage_at = case when status = 'unresolved' then coalesce(triage_at, at) else at end,
         triage_reason = kind,
         snoozed_until = null,
         escalated_at = case when kind = 'escalating' then at end,
         escalation = case when kind = 'escalating' then data end,
         last_escalated_at = case when kind = 'escalating' then at else last_escalated_at end
       from change where issues.id = change.id
     )
     insert into issue_activity (issue_id, kind, actor, data)
     select id, kind, '{"type": "system"}', data from change`,
    [
      transitions.map(({ issueId }) => issueId),
      transitions.map(({ kind }) => kind),
      transitions.map(({ atMs }) => atMs),
      transitions.map(({ data }) => JSON.stringify(data)),
    ],
  )
}
