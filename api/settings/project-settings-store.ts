/** The settings of a project: one value, of which only what somebody chose is stored. */
import type { ProjectId } from '#schemas/ids.ts'
import { ProjectSettings, type ProjectSettingsChange } from '#schemas/project-settings.ts'
import type { Database } from '../database.ts'

export async function readProjectSettings(
  pg: Database,
  projectId: ProjectId,
): Promise<ProjectSettings> {
  const { rows } = await pg.query<{ settings: unknown }>(
    'select settings from projects where dsn_id = $1',
    [projectId],
  )
  return ProjectSettings.parse(rows[0]?.settings ?? {})
}

/** In a transaction: what is left out stays as it is, in each part; of two changes at once neither is lost. */
export async function changeProjectSettings(
  client: Database,
  projectId: ProjectId,
  change: ProjectSettingsChange,
): Promise<ProjectSettings> {
  const { rows } = await client.query<{ settings: StoredSettings }>(
    'select settings from projects where dsn_id = $1 for no key update',
    [projectId],
  )
  const stored = rows[0]?.settings ?? {}
  const settings = {
    ...stored,
    ...change,
    scrubbing: { ...stored.scrubbing, ...change.scrubbing },
    filters: { ...stored.filters, ...change.filters },
  }
  const parsed = ProjectSettings.parse(settings)
  await client.query('update projects set settings = $2 where dsn_id = $1', [
    projectId,
    JSON.stringify(settings),
  ])
  return parsed
}

interface StoredSettings {
  readonly scrubbing?: object
  readonly filters?: object
}
