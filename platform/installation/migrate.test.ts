/** Uses real engines, whose databases the fixture has already migrated. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { type ClickHouseClient, createClickHouse } from '../clickhouse.ts'
import { createLogger } from '../logger.ts'
import { createPool, type Pool } from '../postgres.ts'
import { checkCluster } from './clickhouse-cluster.ts'
import {
  type MigrationFile,
  migrateClickHouse,
  migratePostgres,
  readMigrations,
} from './migrate.ts'
import { replicatedSql } from './replicated-sql.ts'

const log = createLogger('test', 'silent')
let stores: TestStores

beforeAll(async () => {
  stores = await startStores()
})

afterAll(async () => {
  await stores?.stop()
})

describe('Postgres', () => {
  let pool: Pool
  let databaseNo = 0

  beforeEach(async () => {
    const admin = connect(stores.postgresUrl)
    databaseNo += 1
    await admin.query(`create database empty_${databaseNo}`)
    await admin.end()
    pool = connect(stores.postgresUrl.replace(/\/\w+$/, `/empty_${databaseNo}`))
  })

  afterEach(async () => {
    await pool.end()
  })

  test('every migration runs once, and a second run does nothing', async () => {
    const files = await readMigrations('postgres')
    expect(await migratePostgres(pool, files)).toEqual(files.map(({ name }) => name))
    const tables = await tableNames()
    expect(tables).toContain('partition_cursors')
    expect(await migratePostgres(pool, files)).toEqual([])
    expect(await tableNames()).toEqual(tables)
  })

  test('of two concurrent processes, one migrates and the other does nothing', async () => {
    const files = await readMigrations('postgres')
    const fresh = await Promise.all([migratePostgres(pool, files), migratePostgres(pool, files)])
    expect(fresh.map((names) => names.length).sort()).toEqual([0, files.length])
    expect(await applied()).toEqual(files.map(({ name }) => name))
  })

  test('a migration that was edited after it ran is rejected by name', async () => {
    const file = { name: '0001-a.sql', sql: 'create table a (n int)' }
    await migratePostgres(pool, [file])
    const edited = { ...file, sql: 'create table a (n bigint)' }
    const later = { name: '0002-b.sql', sql: 'create table b (n int)' }
    await expect(migratePostgres(pool, [edited, later])).rejects.toThrow(
      'migration 0001-a.sql was changed after it ran',
    )
    expect(await tableNames()).toEqual(['a', 'migrations'])
  })

  test('a failed migration rolls back the others of the same run', async () => {
    const files: MigrationFile[] = [
      { name: '0001-a.sql', sql: 'create table a (n int)' },
      { name: '0002-b.sql', sql: 'create tabel b (n int)' },
    ]
    await expect(migratePostgres(pool, files)).rejects.toThrow('syntax error')
    expect(await tableNames()).toEqual([])
    const mended = [files[0]!, { name: '0002-b.sql', sql: 'create table b (n int)' }]
    expect(await migratePostgres(pool, mended)).toEqual(['0001-a.sql', '0002-b.sql'])
  })

  test('only new files run', async () => {
    const first = { name: '0001-a.sql', sql: 'create table a (n int)' }
    const second = { name: '0002-b.sql', sql: 'create table b (n int)' }
    await migratePostgres(pool, [first])
    expect(await migratePostgres(pool, [first, second])).toEqual(['0002-b.sql'])
  })

  test('a contraction is recorded as one, and rows of versions that did not record it are completed', async () => {
    const files = [
      { name: '0001-a.sql', sql: 'create table a (n int)' },
      { name: '0002-b.sql', sql: '-- contract\ncreate table b (n int)' },
      { name: '0003-c.sql', sql: 'create table c (n int)' },
    ]
    await migratePostgres(pool, files.slice(0, 2))
    await pool.query(`alter table migrations drop column contract`)
    await pool.query(`insert into migrations (name, sha256) values ('9999-later.sql', '')`)
    expect(await migratePostgres(pool, files)).toEqual(['0003-c.sql'])
    const { rows } = await pool.query('select name, contract from migrations order by name')
    expect(rows).toEqual([
      { name: '0001-a.sql', contract: false },
      { name: '0002-b.sql', contract: true },
      { name: '0003-c.sql', contract: false },
      { name: '9999-later.sql', contract: null },
    ])
  })

  test('a migration that waits for a lock lets other queries pass, and runs later', async () => {
    await migratePostgres(pool, [{ name: '0001-a.sql', sql: 'create table a (n int)' }])
    const other = connect(stores.postgresUrl.replace(/\/\w+$/, `/empty_${databaseNo}`))
    const holder = await other.connect()
    await holder.query('begin')
    await holder.query('select * from a')
    const migrating = migratePostgres(pool, [
      { name: '0001-a.sql', sql: 'create table a (n int)' },
      { name: '0002-b.sql', sql: 'alter table a add column m int' },
    ])
    // It passes because the migration gives up its place in the queue.
    await other.query('select * from a')
    await holder.query('rollback')
    holder.release()
    expect(await migrating).toEqual(['0002-b.sql'])
    await other.end()
  })

  async function tableNames(): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    )
    return rows.map(({ name }) => name)
  }

  async function applied(): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>('select name from migrations order by name')
    return rows.map(({ name }) => name)
  }
})

describe('ClickHouse', () => {
  let clickhouse: ClickHouseClient

  beforeAll(() => {
    clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
  })

  afterAll(async () => {
    await clickhouse.close()
  })

  test('a server that is too old is refused before anything runs', async () => {
    const commands: string[] = []
    const old = {
      query: async () => ({ json: async () => ({ data: [{ version: '25.8.4.13' }] }) }),
      command: async ({ query }: { query: string }) => commands.push(query),
    } as unknown as ClickHouseClient
    await expect(migrateClickHouse(old, [])).rejects.toThrow(
      'ClickHouse 25.8.4.13 is too old: Sluice needs 25.12 or later',
    )
    expect(commands).toEqual([])
  })

  test('running every migration again, twice concurrently, changes no table and loses no row', async () => {
    const files = await readMigrations('clickhouse')
    await clickhouse.command({
      query: `insert into outcomes values (1, 1, '', now(), 'accepted', '', 'error', '', 3)`,
    })
    const before = await tables()
    await Promise.all([migrateClickHouse(clickhouse, files), migrateClickHouse(clickhouse, files)])
    expect(await tables()).toEqual(before)
    const rowsOf = Object.fromEntries(before.map((one) => [one.name, Number(one.total_rows)]))
    expect(rowsOf).toEqual({
      events: 0,
      migrations: files.length,
      outcomes: 1,
      ranges: 0,
      session_days: 0,
      sessions: 0,
    })
  })

  test('a migration that was edited after it ran is rejected by name, and nothing runs', async () => {
    const files = await readMigrations('clickhouse')
    const edited = files.map((file) => ({ ...file, sql: `${file.sql}\n-- edited` }))
    const later = { name: '9999-later.sql', sql: 'create table later (n Int32) engine = Log' }
    await expect(migrateClickHouse(clickhouse, [later, ...edited])).rejects.toThrow(
      `migration ${files[0]!.name} was changed after it ran`,
    )
    expect((await tables()).map(({ name }) => name)).not.toContain('later')
  })

  test('only new files run, and they run once', async () => {
    const files = await readMigrations('clickhouse')
    const url = new URL(stores.clickhouseUrl)
    url.pathname = '/fresh'
    await clickhouse.command({ query: 'create database fresh' })
    const fresh = createClickHouse(url.href, 'test')
    try {
      const names = files.map(({ name }) => name)
      expect(await migrateClickHouse(fresh, files.slice(0, 1))).toEqual(names.slice(0, 1))
      expect(await migrateClickHouse(fresh, files)).toEqual(names.slice(1))
      expect(await migrateClickHouse(fresh, files)).toEqual([])
    } finally {
      await fresh.close()
    }
  })

  test('the parser of ClickHouse accepts every file that is rewritten for a cluster', async () => {
    for (const { sql } of await readMigrations('clickhouse')) {
      const query = `explain ast ${replicatedSql(sql, 'main')}`
      const result = await clickhouse.query({ query, format: 'TabSeparated' })
      expect(await result.text()).toMatch(/^(CreateQuery|AlterQuery)/)
    }
  })

  test.each(['nowhere', '{nowhere}'])(
    'the cluster %s that the server does not know is refused',
    async (name) => {
      const url = new URL(stores.clickhouseUrl)
      url.pathname = '/default'
      const empty = createClickHouse(url.href, 'test')
      try {
        await expect(checkCluster(empty, name)).rejects.toThrow('nowhere')
      } finally {
        await empty.close()
      }
    },
  )

  test('a database with plain tables is not migrated for a cluster', async () => {
    await expect(checkCluster(clickhouse, 'main')).rejects.toThrow('are not replicated')
    await expect(checkCluster(clickhouse, undefined)).resolves.toBeUndefined()
  })

  async function tables(): Promise<{ name: string; total_rows: string }[]> {
    const result = await clickhouse.query({
      query: `select name, create_table_query, total_rows from system.tables
              where database = currentDatabase() order by name`,
      format: 'JSONEachRow',
    })
    return result.json()
  }
})

describe('The files', () => {
  test('are read in numerical order', async () => {
    for (const store of ['postgres', 'clickhouse'] as const) {
      const names = (await readMigrations(store)).map(({ name }) => name)
      const numbers = names.map((name) => Number(name.slice(0, 4)))
      // Without duplicates; numbers may be left out.
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      expect(names.filter((name) => !/^\d{4}-[a-z0-9-]+\.sql$/.test(name))).toEqual([])
    }
  })
})

function connect(url: string): Pool {
  return createPool({ url, applicationName: 'test', connectionsMax: 2 }, log)
}
