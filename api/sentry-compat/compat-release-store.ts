/** Releases of an organization: one version may belong to several projects. */
import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'

export interface CompatRelease {
  readonly project_id: ProjectId
  readonly slug_name: string
  readonly version: string
  readonly url: string | null
  readonly released_at: Date | null
  readonly created_at: Date
  readonly event_count: number
  readonly new_issue_count: number
  readonly first_event_at: Date | null
  readonly last_event_at: Date | null
  readonly commits: string[]
}

const columns = `r.project_id, p.name as slug_name, r.version, r.url, r.released_at, r.created_at, r.event_count,
  r.first_event_at, r.last_event_at, r.commits,
  (select count(*) from issues i where i.project_id = r.project_id and i.first_release = r.version) as new_issue_count`

export async function findCompatReleases(
  pg: Database,
  { organizationId, version }: { organizationId: string; version: string },
): Promise<CompatRelease[]> {
  const { rows } = await pg.query<CompatRelease>(
    `select ${columns} from projects p
       join releases r on r.project_id = p.dsn_id and r.version = $2
     where p.organization_id = $1 order by p.dsn_id`,
    [organizationId, version],
  )
  return rows
}

export async function listCompatReleases(
  pg: Database,
  { projectId, limit }: { projectId: ProjectId; limit: number },
): Promise<CompatRelease[]> {
  const { rows } = await pg.query<CompatRelease>(
    `select ${columns} from releases r join projects p on p.dsn_id = r.project_id
     where r.project_id = $1 order by r.last_heard_at desc, r.version limit $2`,
    [projectId, limit],
  )
  return rows
}

/** The newest release with commits that was heard of before the given one. */
export async function findPreviousWithCommits(
  pg: Database,
  { projectId, version, before }: { projectId: ProjectId; version: string; before: Date },
): Promise<CompatRelease | undefined> {
  const { rows } = await pg.query<CompatRelease>(
    `select ${columns} from releases r join projects p on p.dsn_id = r.project_id
     where r.project_id = $1 and r.version <> $2 and r.created_at <= $3 and r.commits <> '{}'
     order by r.created_at desc, r.version limit 1`,
    [projectId, version, before],
  )
  return rows[0]
}
