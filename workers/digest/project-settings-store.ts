import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { StoredSettings } from './project-rules.ts'

/** The settings of those given projects that have changed any, by ascending project id. */
export async function readSettings(
  pg: Pool,
  projectIds: readonly ProjectId[],
): Promise<StoredSettings> {
  const { rows } = await pg.query<{ dsn_id: ProjectId; settings: unknown }>(
    `select dsn_id, settings from projects
     where dsn_id = any($1) and settings <> '{}' order by dsn_id`,
    [projectIds],
  )
  return rows.map((row) => [row.dsn_id, row.settings])
}
