/** Reads and writes project settings: one JSON value that holds only the fields that were set. */
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

/**
 * Call within a transaction. A field that is left out keeps its value. The row is locked, so that
 * concurrent changes are both applied.
 */
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
    ...(stored.attachments === undefined && change.attachments === undefined
      ? {}
      : { attachments: { ...stored.attachments, ...change.attachments } }),
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
  readonly attachments?: object
}
