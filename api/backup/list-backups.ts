import type { Manifest } from '#schemas/backup/manifest.ts'
import { listIds, readManifest, sizeOf } from './manifests.ts'
import type { Place } from './places/place.ts'

export interface ListedBackup {
  readonly id: string
  /** `damaged`: the manifest cannot be read; `problem` says why, and all else is null. */
  readonly state: 'complete' | 'damaged'
  readonly pointAt: string | null
  readonly version: string | null
  readonly installationId: string | null
  readonly rows: number | null
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
  const { id, pointAt, version, installationId, written } = manifest
  const { rows, storedBytes } = sizeOf(manifest)
  return {
    id,
    state: 'complete',
    pointAt,
    version,
    installationId,
    rows,
    storedBytes,
    addedBytes: written.storedBytes,
    problem: null,
  }
}
