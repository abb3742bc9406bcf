import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'

export interface StoredRelease {
  readonly version: string
  readonly first_event_at: Date | null
  readonly last_event_at: Date | null
  readonly first_session_at: Date | null
  readonly last_session_at: Date | null
  readonly event_count: number
  readonly new_issue_count: number
  /** `last_heard_at` with microseconds, for cursors. */
  readonly position: string
}

export interface StoredReleaseDetail extends StoredRelease {
  readonly commits: string[]
}

const columns = `version, first_event_at, last_event_at, first_session_at, last_session_at, event_count,
  (select count(*) from issues i where i.project_id = releases.project_id and i.first_release = releases.version) as new_issue_count,
  to_char(last_heard_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position`

/** Most recently seen first. */
export async function listReleases(
  pg: Database,
  list: {
    projectId: ProjectId
    after: readonly [position: string, version: string] | undefined
    limit: number
  },
): Promise<StoredRelease[]> {
  const { rows } = await pg.query<StoredRelease>(
    `select ${columns} from releases
     where project_id = $1
       and ($2::timestamptz is null or last_heard_at < $2
         or (last_heard_at = $2 and version > $3))
     order by last_heard_at desc, version limit $4`,
    [list.projectId, list.after?.[0] ?? null, list.after?.[1] ?? null, list.limit],
  )
  return rows
}

export async function findRelease(
  pg: Database,
  release: { projectId: ProjectId; version: string },
): Promise<StoredReleaseDetail | undefined> {
  const { rows } = await pg.query<StoredReleaseDetail>(
    `select ${columns}, commits from releases where project_id = $1 and version = $2`,
    [release.projectId, release.version],
  )
  return rows[0]
}

/** A release that is not known yet counts as seen at this time, until its first event. */
export async function writeCommits(
  pg: Database,
  release: { projectId: ProjectId; version: string; commits: readonly string[]; at: Date },
): Promise<void> {
  await pg.query(
    `insert into releases (project_id, version, first_event_at, last_event_at, event_count, commits)
     values ($1, $2, $4, $4, 0, $3)
     on conflict (project_id, version) do update set commits = excluded.commits`,
    [release.projectId, release.version, release.commits, release.at],
  )
}
