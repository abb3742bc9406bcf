/**
 * Restores a backup into a Postgres and a ClickHouse that hold nothing, or whose content is
 * replaced. It can be repeated after a kill at any point:
 *
 *   empty       drops the tables of Postgres: from here on no service starts
 *   ClickHouse  migrations of the backup, then its rows, in a database that is marked as incomplete
 *   Postgres    migrations of the backup, then all rows in one transaction
 *   finish      newer migrations of this program; ClickHouse is marked with its installation
 */
import { failpoint } from '#platform/failpoint.ts'
import { claimClickHouse } from '#platform/installation/installation.ts'
import { readLayouts } from '#platform/installation/layouts.ts'
import {
  type MigrationFile,
  migrateClickHouse,
  readMigrations,
} from '#platform/installation/migrate.ts'
import type { Manifest, ObjectRef } from '#schemas/backup/manifest.ts'
import { loadAttachments } from './attachments/load-attachments.ts'
import type { BackupContext } from './backup-context.ts'
import { BackupError } from './backup-error.ts'
import { recordRestored } from './backup-record-store.ts'
import {
  beginLoading,
  countRows,
  createDatabase,
  endLoading,
  findInterrupted,
  findUsedTable,
  loadTable,
} from './clickhouse/load-store.ts'
import { checkClickHouseTarget } from './clickhouse/target-store.ts'
import { findManifest } from './manifests.ts'
import { readObject } from './objects/read-object.ts'
import type { Place } from './places/place.ts'
import {
  type PartitionReplay,
  planReplay,
  readStreams,
  streamsFrom,
} from './point/stream-gap-store.ts'
import {
  advanceCursors,
  cancelWaitingEmails,
  countWaitingEmails,
  pauseCampaigns,
  settleInstances,
  skipUsedNumbers,
  unlockJobs,
} from './postgres/adjust-store.ts'
import { type Connection, connectPostgres, lockBackups } from './postgres/connection-store.ts'
import { loadTables } from './postgres/load-store.ts'
import {
  connectedServices,
  dropEverything,
  inspectTarget,
  migrateTarget,
  readInstallationId,
} from './postgres/target-store.ts'
import { selectMigrations } from './select-migrations.ts'
import { confirmTarget, notEmptySentence } from './target.ts'
import { describeContent } from './target-content-store.ts'

export interface RestoreBackup {
  readonly place: Place
  /** Undefined: the newest. */
  readonly id: string | undefined
  /** The databases whose content is deleted (`nameTarget`). Undefined: both must be empty. */
  readonly replace: string | undefined
  /** Cancels transactional emails that were waiting at the point, instead of sending them. */
  readonly cancelsEmails: boolean
}

export interface Restored {
  readonly manifest: Manifest
  readonly postgresRows: number
  readonly clickhouseRows: number
  readonly campaignsPaused: number
  readonly emailsCancelled: number
  /** Transactional emails that the mailer sends when it starts. */
  readonly emailsWaiting: number
  /** Undefined: the broker is not known or does not answer. */
  readonly replay: readonly PartitionReplay[] | undefined
  /** Streams with messages of partitions that were added after the point. */
  readonly laterStreams: readonly string[]
  readonly durationMs: number
}

export async function restoreBackup(ctx: BackupContext, input: RestoreBackup): Promise<Restored> {
  const startedMs = ctx.clock.monotonicMs()
  if (input.replace !== undefined) confirmTarget(ctx, input.replace)
  const manifest = await findManifest(input.place, input.id)
  const files = {
    postgres: await readMigrations('postgres'),
    clickhouse: await readMigrations('clickhouse'),
  }
  const wanted = {
    postgres: selectMigrations('Postgres', files.postgres, manifest.migrations.postgres),
    clickhouse: selectMigrations('ClickHouse', files.clickhouse, manifest.migrations.clickhouse),
  }
  const client = await connectPostgres(ctx.postgresUrl)
  try {
    await lockBackups(client)
    await createDatabase(ctx.clickhouseUrl)
    await checkTarget(ctx, client, { replaces: input.replace !== undefined, manifest })
    const streams = await ownStreams(ctx, manifest)
    ctx.say(`Restoring ${manifest.id}, which shows ${manifest.pointAt}.`)
    await dropEverything(client)
    await beginLoading(ctx.clickhouse, manifest.id)
    failpoint('restore.after_drop')
    await loadClickHouse(ctx, { manifest, place: input.place, files: wanted.clickhouse })
    failpoint('restore.after_clickhouse')
    await loadFiles(ctx, manifest, input.place)
    await migrateTarget(ctx.postgresUrl, wanted.postgres, ctx.log)
    const adjusted = await loadPostgres(client, manifest, input)
    failpoint('restore.after_commit')
    await migrateTarget(ctx.postgresUrl, files.postgres, ctx.log)
    await migrateClickHouse(ctx.clickhouse, files.clickhouse)
    await claimClickHouse(ctx.clickhouse, manifest.installationId)
    await recordRestored(client, manifest, input.place.name)
    let clickhouseRows = 0
    for (const { name, rows } of manifest.clickhouse.tables) {
      const stored = await countRows(ctx.clickhouse, name)
      if (stored > rows) throw new Error(`${name} has ${stored} rows instead of ${rows}`)
      clickhouseRows += stored
    }
    await endLoading(ctx.clickhouse)
    return {
      manifest,
      postgresRows: manifest.postgres.tables.reduce((sum, { rows }) => sum + rows, 0),
      clickhouseRows,
      ...adjusted,
      replay: streams && planReplay(manifest.cursors, streams),
      laterStreams: streamsFrom(await endOfLayouts(client), streams ?? []),
      durationMs: Math.round(ctx.clock.monotonicMs() - startedMs),
    }
  } finally {
    await client.end()
  }
}

async function checkTarget(
  ctx: BackupContext,
  client: Connection,
  { replaces, manifest }: { readonly replaces: boolean; readonly manifest: Manifest },
): Promise<void> {
  const { clickhouse } = ctx
  const services = await connectedServices(client)
  if (services.length > 0) {
    throw new BackupError(
      `A service is connected to this Postgres (${services.join(', ')}): stop all services of the installation first.`,
    )
  }
  const target = await inspectTarget(client)
  if (target.kind === 'foreign') {
    throw new BackupError(
      `The Postgres database holds tables that are not of Sluice (${target.tables.slice(0, 3).join(', ')}): set POSTGRES_URL to a database of its own.`,
    )
  }
  const installationId = await readInstallationId(client)
  await checkClickHouseTarget(clickhouse, [manifest.installationId, installationId])
  if (replaces) return
  const usedInPostgres = target.kind === 'sluice' ? target.used : undefined
  // An earlier restore of the same backup into both databases did not end: it begins again.
  const mayBeLeftOver = usedInPostgres === undefined || installationId === manifest.installationId
  if (mayBeLeftOver && (await findInterrupted(clickhouse)) === manifest.id) return
  const usedInClickHouse = await findUsedTable(clickhouse)
  if (usedInPostgres === undefined && usedInClickHouse === undefined) return
  throw new BackupError(
    notEmptySentence(ctx, {
      store: usedInPostgres === undefined ? 'ClickHouse' : 'Postgres',
      table: usedInPostgres ?? usedInClickHouse,
      content: await describeContent(client, clickhouse),
    }),
  )
}

/** Throws if the streams belong to another installation: its workers would refuse to start. */
async function ownStreams({ natsUrl }: BackupContext, { installationId }: Manifest) {
  if (natsUrl === undefined) return undefined
  const streams = await readStreams(natsUrl)
  const foreign = streams?.find((one) => ![undefined, installationId].includes(one.installationId))
  if (foreign === undefined) return streams
  throw new BackupError(
    `Stream ${foreign.name} of NATS_URL belongs to installation ${foreign.installationId}, and the backup is of ${installationId}: set NATS_URL to a server or an account of its own, or delete the stream.`,
  )
}

/** The number after the last partition that the restored Postgres knows. */
async function endOfLayouts(client: Connection): Promise<number> {
  const { current, next } = await readLayouts(client)
  const layout = next ?? current
  // Before there is a layout, the one on the broker is taken.
  return layout === undefined ? Number.POSITIVE_INFINITY : layout.first + layout.partitions
}

async function loadFiles(
  { attachments, say }: BackupContext,
  manifest: Manifest,
  place: Place,
): Promise<void> {
  if (attachments === undefined || manifest.sets.length === 0) return
  const read = (objects: readonly ObjectRef[]) => bytesOf(place, objects)
  const count = await loadAttachments(manifest, attachments.objects, read)
  say(`Restored ${count} files of events.`)
}

interface LoadClickHouse {
  readonly manifest: Manifest
  readonly place: Place
  readonly files: readonly MigrationFile[]
}

async function loadClickHouse(ctx: BackupContext, { manifest, place, files }: LoadClickHouse) {
  await migrateClickHouse(ctx.clickhouse, files)
  for (const table of manifest.clickhouse.tables) {
    const objects = table.parts.flatMap((part) => part.objects)
    await loadTable(ctx.clickhouse, manifest, table, bytesOf(place, objects))
    ctx.say(`Loaded ${table.rows} rows of ${table.name} into ClickHouse.`)
  }
}

async function loadPostgres(
  client: Connection,
  manifest: Manifest,
  { place, cancelsEmails }: RestoreBackup,
) {
  const adjusted = { campaignsPaused: 0, emailsCancelled: 0, emailsWaiting: 0 }
  await loadTables(client, {
    manifest,
    read: ({ objects }) => bytesOf(place, objects),
    adjust: async (loaded) => {
      await skipUsedNumbers(loaded)
      await unlockJobs(loaded)
      await settleInstances(loaded)
      await advanceCursors(loaded)
      adjusted.campaignsPaused = await pauseCampaigns(loaded)
      if (cancelsEmails) adjusted.emailsCancelled = await cancelWaitingEmails(loaded)
      adjusted.emailsWaiting = await countWaitingEmails(loaded)
      failpoint('restore.before_commit')
    },
  })
  return adjusted
}

/** Reads one object ahead. Throws if one is missing or damaged. */
async function* bytesOf(place: Place, objects: readonly ObjectRef[]): AsyncGenerator<Buffer> {
  let next = objects[0] && readWhole(place, objects[0])
  for (let index = 0; index < objects.length; index += 1) {
    const bytes = await next!
    const following = objects[index + 1]
    next = following && readWhole(place, following)
    // Awaited in the next round, or never, if the reader stops.
    next?.catch(() => undefined)
    yield bytes
  }
}

async function readWhole(place: Place, object: ObjectRef): Promise<Buffer> {
  const found = await readObject(place, object)
  if (found.kind === 'object') return found.bytes
  const what = found.kind === 'missing' ? 'is missing' : `is damaged: ${found.reason}`
  throw new BackupError(
    `Object ${object.sha256} in ${place.name} ${what}. Run \`backup verify\`, and restore another backup.`,
  )
}
