import type { Manifest } from '#schemas/backup/manifest.ts'
import { listIds, readManifest } from './manifests.ts'
import type { Place } from './places/place.ts'
import { sizeOf } from './verify-backup.ts'

export interface ListedBackup {
  readonly id: string
  /** `damaged`: the manifest cannot be read; `problem` says why, and all else is null. */
  readonly state: 'complete' | 'damaged'
  readonly pointAt: string | null
  readonly version: string | null
  readonly installationId: string | null
  readonly rows: number | null
  /** Compressed bytes of all objects that it names; other backups may name them too. */
  readonly storedBytes: number | null
  /** Compressed bytes that were new when it was created. */
  readonly addedBytes: number | null
  readonly problem: string | null
}

/** The backups in a place, oldest first. */
export async function listBackups(place: Place): Promise<ListedBackup[]> {
  const listed: ListedBackup[] = []
  for (const id of await listIds(place)) {
    try {
      listed.push(describe(await readManifest(place, id)))
    } catch (error) {
      const problem = (error as Error).message
      listed.push({ ...unknown, id, state: 'damaged', problem })
    }
  }
  return listed
}

const unknown = {
  pointAt: null,
  version: null,
  installationId: null,
  rows: null,
  storedBytes: null,
  addedBytes: null,
} as const

function describe(manifest: Manifest): ListedBackup {
  const { id, pointAt, version, installationId, postgres, clickhouse, written } = manifest
  const tables = [...postgres.tables, ...clickhouse.tables]
  return {
    id,
    state: 'complete',
    pointAt,
    version,
    installationId,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    storedBytes: sizeOf(manifest).storedBytes,
    addedBytes: written.storedBytes,
    problem: null,
  }
}
