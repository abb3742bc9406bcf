import type { ProjectId } from '#schemas/ids.ts'
import type { Database } from '../database.ts'

export interface StoredProject {
  readonly id: string
  /** Names the project in both stores. */
  readonly dsnId: ProjectId
  readonly shortName: string
}

/** A project of another organization is as absent as one that never was. */
export async function findProject(
  pg: Database,
  project: { id: string; organizationId: string },
): Promise<StoredProject | undefined> {
  const { rows } = await pg.query<{ id: string; dsn_id: ProjectId; short_name: string }>(
    'select id, dsn_id, short_name from projects where id = $1 and organization_id = $2',
    [project.id, project.organizationId],
  )
  const row = rows[0]
  return row && { id: row.id, dsnId: row.dsn_id, shortName: row.short_name }
}
