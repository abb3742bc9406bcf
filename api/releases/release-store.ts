import type { ProjectId } from '#schemas/ids.ts'
import type { ReleaseChange } from '#schemas/rest/releases/release-changes.ts'
import type { Database } from '../database.ts'

export interface StoredRelease {
  readonly version: string
  readonly first_event_at: Date | null
  readonly last_event_at: Date | null
  readonly first_session_at: Date | null
  readonly last_session_at: Date | null
  readonly event_count: number
  readonly new_issue_count: number
  readonly url: string | null
  readonly released_at: Date | null
  readonly commit_count: number
  readonly last_environment: string | null
  readonly last_finished_at: Date | null
  /** `last_heard_at` with microseconds, for cursors. */
  readonly position: string
}

export interface StoredReleaseDetail extends StoredRelease {
  readonly commits: string[]
}

const columns = `version, first_event_at, last_event_at, first_session_at, last_session_at, event_count,
  (select count(*) from issues i where i.project_id = releases.project_id and i.first_release = releases.version) as new_issue_count,
  url, released_at, cardinality(commits) as commit_count, last_deploy.environment as last_environment,
  last_deploy.finished_at as last_finished_at,
  to_char(last_heard_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position`

const withDeploy = `releases left join lateral (
    select environment, finished_at from release_deploys d
    where d.project_id = releases.project_id and d.version = releases.version
    order by finished_at desc, id desc limit 1
  ) as last_deploy on true`

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
    `select ${columns} from ${withDeploy}
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
    `select ${columns}, commits from ${withDeploy} where project_id = $1 and version = $2`,
    [release.projectId, release.version],
  )
  return rows[0]
}

export interface StoredReleaseRecord {
  readonly version: string
  readonly url: string | null
  readonly released_at: Date | null
  readonly created_at: Date
}

const recordColumns = 'version, url, released_at, created_at'

interface ReleaseKey {
  readonly projectId: ProjectId
  readonly version: string
}

export async function findReleaseRecord(
  pg: Database,
  { projectId, version }: ReleaseKey,
): Promise<StoredReleaseRecord | undefined> {
  const { rows } = await pg.query<StoredReleaseRecord>(
    `select ${recordColumns} from releases where project_id = $1 and version = $2`,
    [projectId, version],
  )
  return rows[0]
}

/**
 * A release that is not known yet counts as seen at this time, until its first event. A known one
 * gets the fields that are given.
 */
export async function writeRelease(
  pg: Database,
  { projectId, version, at, change }: ReleaseKey & { at: Date; change: ReleaseChange },
): Promise<StoredReleaseRecord & { readonly is_new: boolean }> {
  const { rows } = await pg.query<StoredReleaseRecord>(
    `insert into releases (project_id, version, first_event_at, last_event_at, event_count, url, released_at)
     values ($1, $2, $3, $3, 0, $4, $5)
     on conflict (project_id, version) do nothing
     returning ${recordColumns}`,
    [projectId, version, at, change.url ?? null, change.date_released ?? null],
  )
  if (rows[0] !== undefined) return { ...rows[0], is_new: true }
  const known = await changeRelease(pg, { projectId, version, change })
  // Retention deleted it in between.
  if (known === undefined) return writeRelease(pg, { projectId, version, at, change })
  return { ...known, is_new: false }
}

export async function changeRelease(
  pg: Database,
  { projectId, version, change }: ReleaseKey & { change: ReleaseChange },
): Promise<StoredReleaseRecord | undefined> {
  const { url, date_released: released } = change
  if (url === undefined && released === undefined) {
    return findReleaseRecord(pg, { projectId, version })
  }
  const { rows } = await pg.query<StoredReleaseRecord>(
    `update releases set url = case when $3 then $4 else url end,
       released_at = case when $5 then $6::timestamptz else released_at end
     where project_id = $1 and version = $2 returning ${recordColumns}`,
    [projectId, version, url !== undefined, url, released !== undefined, released],
  )
  return rows[0]
}

export interface NamedRelease {
  readonly version: string
  readonly first_seen: Date
  readonly is_heard: boolean
}

/** Releases of a project, those heard last. A project with more has long left the others. */
const orderedMax = 5_000

export async function listReleaseNames(
  pg: Database,
  projectId: ProjectId,
): Promise<NamedRelease[]> {
  const { rows } = await pg.query<NamedRelease>(
    `select version, least(first_event_at, first_session_at) as first_seen,
       event_count > 0 or first_session_at is not null as is_heard
     from releases where project_id = $1
     order by last_heard_at desc, version limit ${orderedMax}`,
    [projectId],
  )
  return rows
}

export async function listNamedReleases(
  pg: Database,
  { projectId, versions }: { projectId: ProjectId; versions: readonly string[] },
): Promise<StoredRelease[]> {
  const { rows } = await pg.query<StoredRelease>(
    `select ${columns} from ${withDeploy} where project_id = $1 and version = any($2)
     order by array_position($2, version)`,
    [projectId, versions],
  )
  return rows
}
