/** Deploys of releases, the newest first. */
import type { ProjectId } from '#schemas/ids.ts'
import { deploysPerReleaseMax } from '#schemas/rest/releases/deploy.ts'
import type { Database } from '../../database.ts'

export interface StoredDeploy {
  readonly id: string
  readonly environment: string
  readonly name: string
  readonly url: string | null
  readonly started_at: Date | null
  readonly finished_at: Date
}

interface ReleaseKey {
  readonly projectId: ProjectId
  readonly version: string
}

/** Deletes the oldest deploys of the release if there are too many. */
export async function addDeploy(
  pg: Database,
  { projectId, version }: ReleaseKey,
  deploy: StoredDeploy,
): Promise<void> {
  await pg.query(
    `insert into release_deploys (id, project_id, version, environment, name, url, started_at, finished_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      deploy.id,
      projectId,
      version,
      deploy.environment,
      deploy.name,
      deploy.url,
      deploy.started_at,
      deploy.finished_at,
    ],
  )
  await pg.query(
    `delete from release_deploys where id in (
       select id from release_deploys where project_id = $1 and version = $2
       order by finished_at desc, id desc offset ${deploysPerReleaseMax}
     )`,
    [projectId, version],
  )
}

export async function listStoredDeploys(
  pg: Database,
  { projectId, version, limit }: ReleaseKey & { readonly limit: number },
): Promise<StoredDeploy[]> {
  const { rows } = await pg.query<StoredDeploy>(
    `select id, environment, name, url, started_at, finished_at from release_deploys
     where project_id = $1 and version = $2 order by finished_at desc, id desc limit $3`,
    [projectId, version, limit],
  )
  return rows
}
