import type { ReleaseRecord } from '#schemas/rest/releases/release-changes.ts'
import type { StoredReleaseRecord } from './release-store.ts'

export function recordOf(row: StoredReleaseRecord): ReleaseRecord {
  return {
    version: row.version,
    url: row.url,
    date_released: row.released_at?.toISOString() ?? null,
    date_created: row.created_at.toISOString(),
  }
}
