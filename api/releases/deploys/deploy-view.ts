import type { Deploy } from '#schemas/rest/releases/deploy.ts'
import type { StoredDeploy } from './deploy-store.ts'

export function deployItem(row: StoredDeploy): Deploy {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name || null,
    url: row.url,
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at.toISOString(),
  }
}
