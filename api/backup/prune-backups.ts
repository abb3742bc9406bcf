/**
 * Deletes backups and then the objects that no other backup names. Runs alone: a backup that is
 * being created relies on objects that no manifest names yet.
 */
import type { Clock } from '#platform/clock.ts'
import { objectsOf } from '#schemas/backup/manifest.ts'
import { BackupError } from './backup-error.ts'
import { listIds, readManifest } from './manifests.ts'
import { listObjects } from './objects/object-writer.ts'
import { manifestKey, objectKey, type Place } from './places/place.ts'
import { withPlaceLock } from './places/place-lock.ts'

export interface Pruned {
  /** Ids of the deleted backups. */
  readonly deleted: readonly string[]
  readonly kept: number
  readonly objectsDeleted: number
  readonly bytesFreed: number
}

/** Keeps the newest backups of each installation. */
export async function pruneBackups(
  place: Place,
  { keep, clock }: { readonly keep: number; readonly clock: Clock },
): Promise<Pruned> {
  if ((await listIds(place)).length === 0) {
    throw new BackupError(`${place.name} holds no backup.`)
  }
  return withPlaceLock(place, { work: 'prune', owner: '', clock }, async (confirm) => {
    const byInstallation = new Map<string, string[]>()
    for (const id of await listIds(place)) {
      // A damaged manifest ends the prune: its objects are not known.
      const { installationId } = await readManifest(place, id)
      byInstallation.set(installationId, [...(byInstallation.get(installationId) ?? []), id])
    }
    const old = [...byInstallation.values()].flatMap((ids) => ids.slice(0, -keep))
    return deleteAll(place, old, confirm)
  })
}

/** Deletes one backup; also one whose manifest is damaged. */
export async function deleteBackup(
  place: Place,
  { id, clock }: { readonly id: string; readonly clock: Clock },
): Promise<Pruned> {
  // Before the lock, which would create a folder that was mistyped.
  if (!(await listIds(place)).includes(id)) {
    throw new BackupError(`${place.name} holds no backup ${id}: see \`backup list\`.`)
  }
  return withPlaceLock(place, { work: 'prune', owner: '', clock }, (confirm) =>
    deleteAll(place, [id], confirm),
  )
}

async function deleteAll(
  place: Place,
  ids: readonly string[],
  confirm: () => void,
): Promise<Pruned> {
  confirm()
  for (const id of ids) await place.remove(manifestKey(id))
  await place.sweep()
  const left = await listIds(place)
  const named = new Set<string>()
  for (const id of left) {
    for (const { sha256 } of objectsOf(await readManifest(place, id))) named.add(sha256)
  }
  let objectsDeleted = 0
  let bytesFreed = 0
  for (const [sha256, bytes] of await listObjects(place)) {
    if (named.has(sha256)) continue
    confirm()
    await place.remove(objectKey(sha256))
    objectsDeleted += 1
    bytesFreed += bytes
  }
  return { deleted: ids, kept: left.length, objectsDeleted, bytesFreed }
}
