/**
 * Reopens resolved issues with events that Postgres did not know, as commits of workers do. Of each
 * issue only the release of its latest event is known here; the next event decides again.
 */
import type { PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { type KnownRelease, type Resolution, reopens } from '#schemas/releases/reopens.ts'

interface ResolvedRow {
  readonly id: string
  readonly project_id: ProjectId
  readonly resolved_at: Date
  readonly resolved_in: Resolution['in'] | null
  readonly resolved_release: string | null
  readonly resolved_commit: string | null
  readonly received_at: Date
  readonly release: string | null
  readonly known: readonly {
    readonly version: string
    readonly first_seen_ms: number
    readonly has_commits: boolean
    readonly has_commit: boolean
  }[]
}

/** Issues that are decided at a time. */
const pageRowsMax = 500

/** Returns how many were reopened. */
export async function regressIssues(client: PoolClient): Promise<number> {
  let regressed = 0
  let after: string | null = null
  while (true) {
    const rows: readonly ResolvedRow[] = await readResolved(client, after)
    const last = rows.at(-1)
    if (last === undefined) return regressed
    const open = rows.filter((row) => reopens(resolutionOf(row), row.release ?? '', knownOf(row)))
    if (open.length > 0) await reopenIssues(client, open)
    regressed += open.length
    after = last.id
  }
}

async function readResolved(
  client: PoolClient,
  after: string | null,
): Promise<readonly ResolvedRow[]> {
  const { rows } = await client.query<ResolvedRow>(
    `with heard as (
       select issue_id, max(last_received) as received_at,
         (array_agg(last_release order by last_received desc, hash) filter (where last_release is not null))[1] as release
       from found_issues group by issue_id
     )
     select issues.id, issues.project_id, resolved_at, resolved_in, resolved_release, resolved_commit,
       received_at, release,
       (select coalesce(jsonb_agg(jsonb_build_object(
           'version', version, 'has_commits', commits <> '{}',
           'first_seen_ms', extract(epoch from least(first_event_at, first_session_at)) * 1000,
           'has_commit', resolved_commit is not null
             and exists (select from unnest(commits) one where starts_with(lower(one), resolved_commit)))), '[]')
        from releases where releases.project_id = issues.project_id
          and (version in (release, resolved_release) or resolved_commit is not null and commits <> '{}')) as known
     from issues join heard on issue_id = issues.id
     where status = 'resolved' and resolved_at < received_at and ($1::uuid is null or issues.id > $1)
     order by issues.id limit ${pageRowsMax}`,
    [after],
  )
  return rows
}

function resolutionOf(row: ResolvedRow): Resolution {
  return {
    atMs: row.resolved_at.getTime(),
    in: row.resolved_in ?? 'now',
    release: row.resolved_release,
    commit: row.resolved_commit,
  }
}

function knownOf({ known }: ResolvedRow): Map<string, KnownRelease> {
  return new Map(
    known.map((each) => [
      each.version,
      {
        version: each.version,
        firstSeenMs: each.first_seen_ms,
        hasCommits: each.has_commits,
        hasCommit: each.has_commit,
      },
    ]),
  )
}

async function reopenIssues(client: PoolClient, issues: readonly ResolvedRow[]): Promise<void> {
  await client.query(
    `with regressed as (
       update issues set status = 'unresolved', substatus = 'regressed', resolved_at = null,
         resolved_in = null, resolved_release = null, resolved_commit = null,
         triage_at = received_at, triage_reason = 'regressed', snoozed_until = null
       from unnest($1::uuid[], $2::timestamptz[]) as heard (id, received_at) where issues.id = heard.id
     )
     insert into issue_activity (issue_id, kind, actor, data)
     select id, 'regressed', '{"type": "system"}', data from unnest($1::uuid[], $3::jsonb[]) as done (id, data)`,
    [
      issues.map(({ id }) => id),
      issues.map(({ received_at }) => received_at),
      issues.map(({ release, resolved_in, resolved_release }) =>
        JSON.stringify({ release, resolved_in: resolved_in ?? 'now', resolved_release }),
      ),
    ],
  )
}
