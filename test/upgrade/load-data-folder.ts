/**
 * Rebuilds the data folder of an earlier version from text: rows of both stores, the write-ahead
 * log of an ingest process that was killed, and the stream with events that no worker had read. The
 * stores get only the migrations that the recorded version knew; starting the product on the folder
 * runs the others.
 */
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import { createClickHouse } from '#platform/clickhouse.ts'
import { claimClickHouse } from '#platform/installation/installation.ts'
import {
  migrateClickHouse,
  migratePostgres,
  readMigrations,
} from '#platform/installation/migrate.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, inTransaction, type Pool } from '#platform/postgres.ts'
import { embeddedEngines } from '../../dev/engines/embedded-engines.ts'
import { makeClickHouseDatabase } from '../../dev/migrate.ts'
import { ManagedProcess } from '../../dev/processes/managed-process.ts'
import { settle } from '../../dev/stack-settings.ts'

export interface RecordedFolder {
  /** Names of the Postgres migrations that had run. */
  readonly migrations: readonly string[]
  /** Schema and table → rows, each one JSON object. */
  readonly postgres: Readonly<Record<string, readonly string[]>>
  readonly sequences: readonly { readonly name: string; readonly value: string }[]
  /** Table → rows, each one JSON object. */
  readonly clickhouse: Readonly<Record<string, readonly string[]>>
  /** Path below the data folder → content in base64. */
  readonly files: Readonly<Record<string, string>>
  /** What its `demo.json` said. */
  readonly demo: {
    readonly dsn: string
    readonly dsnId: string
    readonly projectId: string
    readonly projectKey: string
    readonly accessToken: string
    readonly apiKey: string
    readonly newsletter: string
    readonly owner: { readonly email: string; readonly password: string }
  }
  /** Token of the link in an email that was sent. */
  readonly unsubscribePath: string
  readonly ids: Readonly<Record<'campaign' | 'draft' | 'idea' | 'receipt' | 'lost', string>>
}

const log = createLogger('test', 'silent')
/** Long before the start, so that no process seems to be alive that wrote it. */
const fileAge = new Date(Date.UTC(2026, 10, 22))

export async function readRecordedFolder(name: string): Promise<RecordedFolder> {
  return JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'))
}

export async function loadDataFolder(recorded: RecordedFolder, dataDir: string): Promise<void> {
  for (const [name, content] of Object.entries(recorded.files)) {
    const path = join(dataDir, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, Buffer.from(content, 'base64'), { mode: 0o600 })
    await utimes(path, fileAge, fileAge)
  }
  const settings = await settle({ SLUICE_DATA_DIR: dataDir }, 'free')
  const stopping = new AbortController()
  const engines = await embeddedEngines(settings, () => undefined, stopping.signal)
  const report = {
    line: () => undefined,
    started: async () => undefined,
    exited: () => undefined,
    broughtBack: () => undefined,
  }
  const postgres = new ManagedProcess(engines.postgres.plan, report)
  const clickhouse = new ManagedProcess(engines.clickhouse.plan, report)
  try {
    await Promise.all([postgres.start(), clickhouse.start()])
    await loadPostgres(engines.postgres.url, recorded)
    await loadClickHouse(engines.clickhouse.url, recorded)
  } finally {
    await Promise.allSettled([postgres.stop(), clickhouse.stop()])
  }
}

async function loadPostgres(url: string, recorded: RecordedFolder): Promise<void> {
  const pool = createPool({ url, applicationName: 'test', connectionsMax: 2 }, log)
  try {
    const all = await readMigrations('postgres')
    await migratePostgres(
      pool,
      all.filter(({ name }) => recorded.migrations.includes(name)),
    )
    await runMigrations({ pgPool: pool })
    await loadTables(pool, recorded)
  } finally {
    await pool.end()
  }
}

async function loadTables(pool: Pool, recorded: RecordedFolder): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Neither triggers nor foreign keys: the rows are consistent as they stand.
    await client.query(`set local session_replication_role = replica`)
    for (const [table, rows] of Object.entries(recorded.postgres)) {
      const columns = Object.keys(JSON.parse(rows[0]!))
        .map((name) => `"${name}"`)
        .join(', ')
      // What the migrations put there themselves stands among the rows, too.
      await client.query(`delete from ${table}`)
      await client.query(
        `insert into ${table} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${table}, $1::json)`,
        [`[${rows.join(',')}]`],
      )
    }
    for (const { name, value } of recorded.sequences) {
      await client.query('select setval($1::regclass, $2::bigint)', [name, value])
    }
  })
}

async function loadClickHouse(url: string, recorded: RecordedFolder): Promise<void> {
  await makeClickHouseDatabase(url)
  const clickhouse = createClickHouse(url, 'test')
  try {
    const ran = (recorded.clickhouse['migrations'] ?? []).map((row) => JSON.parse(row).name)
    const all = await readMigrations('clickhouse')
    await migrateClickHouse(
      clickhouse,
      all.filter(({ name }) => ran.includes(name)),
    )
    await claimClickHouse(clickhouse, installationOf(recorded))
    for (const [table, rows] of Object.entries(recorded.clickhouse)) {
      const values = rows.map((row) => JSON.parse(row))
      await clickhouse.insert({ table, values, format: 'JSONEachRow' })
    }
  } finally {
    await clickhouse.close()
  }
}

function installationOf({ postgres }: RecordedFolder): string {
  return JSON.parse(postgres['public.installation']![0]!).id
}
