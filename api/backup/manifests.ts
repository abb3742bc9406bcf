/** Reads and writes manifests of a place. A manifest is stored with its SHA-256. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Manifest, objectsOf } from '#schemas/backup/manifest.ts'
import { BackupError } from './backup-error.ts'
import { manifestKey, manifestsPrefix, type Place } from './places/place.ts'

const Stored = z.object({ sha256: z.string(), manifest: z.unknown() })
/** One line of a list for each. */
const manifestsMax = 100_000

export async function writeManifest(place: Place, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest)
  const stored = `{"sha256":"${hashOf(text)}","manifest":${text}}\n`
  await place.put(manifestKey(manifest.id), Buffer.from(stored))
}

/** Ids of the backups in a place, oldest first. */
export async function listIds(place: Place): Promise<string[]> {
  const ids: string[] = []
  for await (const { key } of place.list(manifestsPrefix)) {
    const id = /^manifests\/([^/]+)\.json$/.exec(key)?.[1]
    if (id === undefined || !Manifest.shape.id.safeParse(id).success) continue
    ids.push(id)
    if (ids.length > manifestsMax) {
      throw new BackupError(
        `${place.name} holds more than ${manifestsMax} backups: prune it first.`,
      )
    }
  }
  return ids.sort()
}

/** Throws a BackupError if the manifest is missing or damaged. */
export async function readManifest(place: Place, id: string): Promise<Manifest> {
  if (!Manifest.shape.id.safeParse(id).success) {
    throw new BackupError(`"${id}" is not the id of a backup: see \`backup list\`.`)
  }
  const bytes = await place.get(manifestKey(id))
  if (bytes === undefined) {
    throw new BackupError(`${place.name} holds no backup ${id}: see \`backup list\`.`)
  }
  try {
    const { sha256, manifest } = Stored.parse(JSON.parse(bytes.toString('utf8')))
    // The text was written by JSON.stringify, so it is the same again.
    if (hashOf(JSON.stringify(manifest)) !== sha256) throw new Error('its SHA-256 differs')
    return Manifest.parse(manifest)
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`
        : (error as Error).message
    throw new BackupError(
      `The manifest of ${id} in ${place.name} is damaged, or was written by a newer version of Sluice (${reason}): use another backup.`,
      { cause: error },
    )
  }
}

/** The backup with the id; without one, the newest. */
export async function findManifest(place: Place, id: string | undefined): Promise<Manifest> {
  const found = id ?? (await listIds(place)).at(-1)
  if (found === undefined) {
    throw new BackupError(`${place.name} holds no backup: create one with \`backup create\`.`)
  }
  return readManifest(place, found)
}

export interface BackupSize {
  readonly rows: number
  /** Bytes of the rows before compression. */
  readonly bytes: number
  /** Compressed bytes of all objects that it names; other backups may name them too. */
  readonly storedBytes: number
}

export function sizeOf(manifest: Manifest): BackupSize {
  const tables = [...manifest.postgres.tables, ...manifest.clickhouse.tables]
  const stored = new Map(objectsOf(manifest).map((one) => [one.sha256, one.storedBytes]))
  return {
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    storedBytes: [...stored.values()].reduce((sum, bytes) => sum + bytes, 0),
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
