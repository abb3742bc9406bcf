/**
 * Keeps a backup and a prune of one place apart, also when they run on different machines: each
 * writes a file and then looks for those of others. A file that was not renewed for an hour belongs
 * to a process that has ended.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Clock, systemClock } from '#platform/clock.ts'
import { BackupError } from '../backup-error.ts'
import { locksPrefix, type Place } from './place.ts'

const LockFile = z.object({
  work: z.enum(['create', 'prune']),
  owner: z.string(),
  atMs: z.number(),
})
type LockFile = z.infer<typeof LockFile>

const renewMs = 60_000
const staleMs = 3_600_000

export interface PlaceWork {
  readonly work: LockFile['work']
  /**
   * Installation that the caller has locked in its Postgres: no other process works for it, so a
   * file of it is left over. An empty text: none.
   */
  readonly owner: string
  readonly clock?: Clock
}

/**
 * Backups of several installations may run at once; a prune runs alone. `run` calls `confirm`
 * before a step that relies on the lock; it throws if others may take the lock for left over.
 */
export async function withPlaceLock<T>(
  place: Place,
  { work, owner, clock = systemClock }: PlaceWork,
  run: (confirm: () => void) => Promise<T>,
): Promise<T> {
  const key = `${locksPrefix}${randomUUID()}.json`
  const write = () => {
    const file: LockFile = { work, owner, atMs: clock.nowMs() }
    return place.put(key, Buffer.from(JSON.stringify(file)))
  }
  await write()
  let renewedMs = clock.monotonicMs()
  const renewal = setInterval(() => {
    const beganMs = clock.monotonicMs()
    write().then(
      () => {
        renewedMs = beganMs
      },
      () => undefined,
    )
  }, renewMs)
  renewal.unref()
  try {
    await expectNoOther(place, { key, work, owner, nowMs: clock.nowMs() })
    return await run(() => {
      if (clock.monotonicMs() - renewedMs < staleMs / 2) return
      throw new BackupError(`${place.name} was not writable for half an hour: start again.`)
    })
  } finally {
    clearInterval(renewal)
    await place.remove(key).catch(() => undefined)
  }
}

async function expectNoOther(
  place: Place,
  own: {
    readonly key: string
    readonly work: string
    readonly owner: string
    readonly nowMs: number
  },
): Promise<void> {
  for await (const { key } of place.list(locksPrefix)) {
    if (key === own.key) continue
    const other = await readLock(place, key)
    if (other === undefined) continue
    const isLeftOver = own.owner !== '' && other.owner === own.owner && other.work === 'create'
    if (isLeftOver || own.nowMs - other.atMs > staleMs) {
      await place.remove(key)
      continue
    }
    if (own.work === 'create' && other.work === 'create') continue
    const what =
      other.work === 'create' ? 'A backup is being written to' : 'Old backups are being pruned in'
    const at = new Date(other.atMs).toISOString()
    throw new BackupError(
      `${what} ${place.name} (last sign of it at ${at}): wait until it has ended. One that was killed is ignored after an hour.`,
    )
  }
}

async function readLock(place: Place, key: string): Promise<LockFile | undefined> {
  const bytes = await place.get(key)
  if (bytes === undefined) return undefined
  try {
    return LockFile.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return undefined
  }
}
