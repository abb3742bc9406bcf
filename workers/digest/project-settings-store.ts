import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { deletedProjectSettings, type StoredSettings } from './project-rules.ts'

/**
 * The settings of those given projects that have changed any or were deleted, by ascending project
 * id.
 */
export async function readSettings(
  pg: Pool,
  projectIds: readonly ProjectId[],
): Promise<StoredSettings> {
  const { rows } = await pg.query<{ dsn_id: ProjectId; settings: unknown }>(
    `select dsn_id, null as settings from deleted_projects where dsn_id = any($1)
     union all
     select dsn_id, settings from projects
     where dsn_id = any($1) and settings <> '{}'
       and dsn_id not in (select dsn_id from deleted_projects where dsn_id = any($1))
     order by dsn_id`,
    [projectIds],
  )
  return rows.map((row) => [row.dsn_id, row.settings ?? deletedProjectSettings])
}
