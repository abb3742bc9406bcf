/** Creates a backup: takes a point in time, and then copies what the place does not hold yet. */
import { randomBytes } from 'node:crypto'
import { failpoint } from '#platform/failpoint.ts'
import { checkPostgresMigrations } from '#platform/installation/check-migrations.ts'
import { readInstallation } from '#platform/installation/installation.ts'
import { checkClickHouse } from '#platform/installation/open-installation.ts'
import type { Pool } from '#platform/postgres.ts'
import { type Manifest, objectsOf } from '#schemas/backup/manifest.ts'
import { dumpAttachments } from './attachments/dump-attachments.ts'
import type { BackupContext } from './backup-context.ts'
import { beginRecord, completeRecord, failRecord } from './backup-record-store.ts'
import { dropClones } from './clickhouse/clone-store.ts'
import { select } from './clickhouse/connection-store.ts'
import { dumpClones } from './clickhouse/dump-clones.ts'
import { listIds, readManifest, writeManifest } from './manifests.ts'
import { ObjectWriter } from './objects/object-writer.ts'
import type { Place } from './places/place.ts'
import { withPlaceLock } from './places/place-lock.ts'
import { takePoint } from './point/take-point.ts'
import { type Connection, connectPostgres, lockBackups } from './postgres/connection-store.ts'
import { dumpTables } from './postgres/dump-tables.ts'

/** Earlier backups whose parts are recognized. */
const earlierMax = 3

/** What a person has to keep elsewhere to use a restored installation. */
export const notIncluded: readonly string[] = [
  'SLUICE_SECRET (without it, sealed values and links in sent emails are lost)',
  'environment variables and certificates',
  'write-ahead logs of ingest and the streams of the broker: what is newer than the point',
]

export interface CreateBackup {
  readonly place: Place
  /** How long to wait for ranges that are under way. */
  readonly waitMsMax: number
}

export async function createBackup(ctx: BackupContext, input: CreateBackup): Promise<Manifest> {
  const { place } = input
  const control = await connectPostgres(ctx.postgresUrl)
  const snapshot = await connectPostgres(ctx.postgresUrl).catch(async (error: unknown) => {
    await control.end()
    throw error
  })
  try {
    await lockBackups(control)
    // A connection has the part of a pool that these use.
    const pg = control as unknown as Pool
    await checkPostgresMigrations(pg)
    const installation = await readInstallation(pg)
    await checkClickHouse(ctx.clickhouse, installation)
    const id = nextId(ctx.clock.nowMs(), (await listIds(place)).at(-1))
    await beginRecord(control, { id, place: place.name })
    try {
      const manifest = await withPlaceLock(
        place,
        { work: 'create', owner: installation.id, clock: ctx.clock },
        (confirm) => {
          const installationId = installation.id
          return copyAll(ctx, { ...input, id, installationId, control, snapshot, confirm })
        },
      )
      await completeRecord(control, manifest)
      return manifest
    } catch (error) {
      await failRecord(control, id, error).catch(() => undefined)
      throw error
    }
  } finally {
    await Promise.all([snapshot.end(), control.end()])
  }
}

interface CopyAll extends CreateBackup {
  readonly id: string
  readonly installationId: string
  readonly control: Connection
  readonly snapshot: Connection
  readonly confirm: () => void
}

async function copyAll(ctx: BackupContext, options: CopyAll): Promise<Manifest> {
  const { id, place, control, snapshot, waitMsMax, installationId, confirm } = options
  const { clickhouse, clock, sleep, say, version } = ctx
  const startedMs = clock.nowMs()
  await place.sweep()
  const writer = await ObjectWriter.open(place)
  const earlier = await readEarlier(place, installationId)
  for (const manifest of earlier) writer.distrust(objectsOf(manifest))
  await dropClones(clickhouse)
  try {
    const point = await takePoint({
      id,
      control,
      snapshot,
      clickhouse,
      clock,
      sleep,
      waitMsMax,
    })
    failpoint('backup.after_point')
    say(`Took the point in time ${point.at.toISOString()} (workers waited ${point.holdMs} ms).`)
    const migrations = await readMigrationsOf(ctx, snapshot)
    const postgres = await dumpTables(snapshot, writer)
    const sets = await dumpFiles(ctx, snapshot, writer)
    await snapshot.query('rollback')
    say(`Copied ${postgres.tables.length} tables of Postgres.`)
    const tables = await dumpClones({ clickhouse, writer, clones: point.clones, earlier })
    say(`Copied ${tables.length} tables of ClickHouse.`)
    failpoint('backup.before_manifest')
    const manifest: Manifest = {
      format: 1,
      id,
      installationId,
      version,
      startedAt: new Date(startedMs).toISOString(),
      pointAt: point.at.toISOString(),
      finishedAt: new Date(clock.nowMs()).toISOString(),
      holdMs: point.holdMs,
      migrations,
      cursors: point.cursors.map(({ plannedSeq: _, ...cursor }) => cursor),
      postgres,
      clickhouse: { tables },
      sets,
      notIncluded: [...notIncluded, ...filesLeftOut(ctx)],
      written: writer.written,
    }
    if (!writer.holds(objectsOf(manifest))) {
      throw new Error('an object of the manifest was not stored')
    }
    confirm()
    await writeManifest(place, manifest)
    failpoint('backup.after_manifest')
    return manifest
  } finally {
    // Those that stay are dropped by the next backup.
    await dropClones(clickhouse).catch(() => undefined)
  }
}

async function dumpFiles(
  { attachments, say }: BackupContext,
  snapshot: Connection,
  writer: ObjectWriter,
): Promise<Manifest['sets']> {
  if (attachments === undefined || !attachments.isInBackup) return []
  return dumpAttachments({ snapshot, objects: attachments.objects, writer, say })
}

function filesLeftOut({ attachments }: BackupContext): string[] {
  if (attachments === undefined || attachments.isInBackup) return []
  return [`files of events in ${attachments.objects.name}: the bucket has to be backed up itself`]
}

/** The newest backups of this installation. A damaged one is passed over. */
async function readEarlier(place: Place, installationId: string): Promise<Manifest[]> {
  const found: Manifest[] = []
  for (const id of (await listIds(place)).reverse()) {
    if (found.length >= earlierMax) break
    const manifest = await readManifest(place, id).catch(() => undefined)
    if (manifest?.installationId === installationId) found.push(manifest)
  }
  return found
}

async function readMigrationsOf(
  { clickhouse }: BackupContext,
  snapshot: Connection,
): Promise<Manifest['migrations']> {
  interface Migration {
    name: string
    sha256: string
  }
  const { rows } = await snapshot.query<Migration>(
    'select name, sha256 from migrations order by name',
  )
  const query = 'select name, any(sha256) as sha256 from migrations group by name order by name'
  return { postgres: rows, clickhouse: await select<Migration>(clickhouse, query) }
}

/** Sorts after the newest backup of the place, also when the clock was set back. */
export function nextId(nowMs: number, newest: string | undefined): string {
  const stampOf = (ms: number) => new Date(ms).toISOString().replace(/[-:.]/g, '')
  const after = newest === undefined ? 0 : timeOf(newest) + 1
  return `${stampOf(Math.max(nowMs, after))}-${randomBytes(4).toString('hex')}`
}

function timeOf(id: string): number {
  const parts = /^(....)(..)(..)T(..)(..)(..)(...)Z/.exec(id)?.slice(1) ?? []
  const [year, month, day, hour, minute, second, ms] = parts
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(time) ? 0 : time
}
