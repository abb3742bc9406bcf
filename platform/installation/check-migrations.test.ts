import { expect, test } from 'vitest'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { createClickHouse } from '../clickhouse.ts'
import { createLogger } from '../logger.ts'
import type { Pool } from '../postgres.ts'
import { appliedInPostgres } from './applied-migrations.ts'
import {
  checkClickHouseMigrations,
  checkPostgresMigrations,
  compareMigrations,
  MigrationsError,
  refuseNewer,
} from './check-migrations.ts'

const wanted = ['0001-a.sql', '0002-b.sql', '0003-c.sql']

// biome-ignore format: the columns are the point
test.each([
  ['all of them           ', wanted, undefined],
  ['in another order      ', [...wanted].reverse(), undefined],
  ['no table              ', undefined, 'Postgres was not migrated yet: run `npm run migrate` first'],
  ['an empty table        ', [], 'Postgres was not migrated yet: run `npm run migrate` first'],
  ['one too few           ', wanted.slice(0, 2), 'Postgres lacks migrations of this version (0003-c.sql): run `npm run migrate` first'],
  ['one too many          ', [...wanted, '0004-d.sql'], 'Postgres was migrated by a newer version of Sluice (this one does not have 0004-d.sql): start that version, or a later one'],
  ['another of one number ', [...wanted.slice(0, 2), '0003-x.sql'], 'Postgres was migrated by a newer version of Sluice (this one does not have 0003-x.sql): start that version, or a later one'],
  ['hostile names         ', [...wanted, '', '\u0000', '../../x'], 'Postgres was migrated by a newer version of Sluice (this one does not have , \u0000, ../../x): start that version, or a later one'],
  ['many too many         ', ['a', 'b', 'c', 'd', 'e'], 'Postgres was migrated by a newer version of Sluice (this one does not have a, b, c and 2 more): start that version, or a later one'],
] as const)('%s', (_name, applied, sentence) => {
  const rows = applied?.map((name) => ({ name, contract: undefined }))
  const expected = { refusal: sentence, newer: [] }
  expect(compareMigrations('Postgres', wanted, rows)).toEqual(expected)
})

const d = '0004-d.sql'
const e = '0005-e.sql'
const tooNew = (names: string) =>
  `ClickHouse was migrated by a newer version of Sluice (this one does not have ${names}): start that version, or a later one`

// biome-ignore format: the columns are the point
test.each([
  ['an expansion                     ', wanted, [[d, false]], undefined, [d]],
  ['two expansions                   ', wanted, [[d, false], [e, false]], undefined, [d, e]],
  ['a contraction                    ', wanted, [[d, true]], tooNew(d), []],
  ['an expansion and a contraction   ', wanted, [[d, false], [e, true]], tooNew(e), []],
  ['an expansion and one not recorded', wanted, [[d, false], [e, undefined]], tooNew(e), []],
  ['an expansion, but one is missing ', wanted.slice(1), [[d, false]], 'ClickHouse lacks migrations of this version (0001-a.sql): run `npm run migrate` first', []],
] as const)('newer: %s', (_name, known, unknown, refusal, newer) => {
  const rows = [
    ...known.map((name) => ({ name, contract: true })),
    ...unknown.map(([name, contract]) => ({ name, contract })),
  ]
  expect(compareMigrations('ClickHouse', wanted, rows)).toEqual({ refusal, newer })
})

let pg: Pool
let clickhouseUrl: string
usePostgres((fixture) => {
  pg = fixture.pg
  clickhouseUrl = fixture.stores.clickhouseUrl
})

test('a migrated Postgres is accepted, and newer and older ones are rejected by migration name', async () => {
  await checkPostgresMigrations(pg)
  await pg.query(`insert into migrations (name, sha256) values ('9999-later.sql', '')`)
  await expect(checkPostgresMigrations(pg)).rejects.toThrow(MigrationsError)
  await expect(checkPostgresMigrations(pg)).rejects.toThrow('9999-later.sql')
  await pg.query('update migrations set contract = true where name like $1', ['9999%'])
  await expect(checkPostgresMigrations(pg)).rejects.toThrow('9999-later.sql')
  await expect(refuseNewer('Postgres', await appliedInPostgres(pg))).rejects.toThrow('9999-later')
  await pg.query('update migrations set contract = false where name like $1', ['9999%'])
  const lines: string[] = []
  await checkPostgresMigrations(
    pg,
    createLogger('test', 'info', { destination: { write: (line) => lines.push(line) } }),
  )
  expect(lines).toEqual([expect.stringContaining('"code":"database_newer"')])
  expect(await refuseNewer('Postgres', await appliedInPostgres(pg))).toEqual(['9999-later.sql'])
  await pg.query(`delete from migrations where name like '9999%' or name like '0021%'`)
  await expect(checkPostgresMigrations(pg)).rejects.toThrow(
    'lacks migrations of this version (0021',
  )
  await pg.query('drop table migrations')
  await expect(checkPostgresMigrations(pg)).rejects.toThrow('run `npm run migrate` first')
})

test('a ClickHouse that was not migrated is rejected, also when its database is missing', async () => {
  const clickhouse = createClickHouse(clickhouseUrl, 'test')
  const url = new URL(clickhouseUrl)
  url.pathname = '/missing'
  const missing = createClickHouse(url.href, 'test')
  try {
    await checkClickHouseMigrations(clickhouse)
    await expect(checkClickHouseMigrations(missing)).rejects.toThrow('was not migrated yet')
    await clickhouse.insert({
      table: 'migrations',
      values: [{ name: '9999-later.sql', sha256: '' }],
      format: 'JSONEachRow',
    })
    await expect(checkClickHouseMigrations(clickhouse)).rejects.toThrow('9999-later.sql')
    await clickhouse.insert({
      table: 'migrations',
      values: [{ name: '9999-later.sql', sha256: '', contract: false }],
      format: 'JSONEachRow',
    })
    await checkClickHouseMigrations(clickhouse)
    await clickhouse.insert({
      table: 'migrations',
      values: [{ name: '9999-later.sql', sha256: 'other', contract: true }],
      format: 'JSONEachRow',
    })
    await expect(checkClickHouseMigrations(clickhouse)).rejects.toThrow('9999-later.sql')
    await clickhouse.command({ query: 'alter table migrations drop column contract' })
    await expect(checkClickHouseMigrations(clickhouse)).rejects.toThrow('9999-later.sql')
    await clickhouse.command({ query: 'drop table migrations' })
    await expect(checkClickHouseMigrations(clickhouse)).rejects.toThrow('was not migrated yet')
  } finally {
    await Promise.all([clickhouse.close(), missing.close()])
  }
})
