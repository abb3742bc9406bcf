import { expect, test } from 'vitest'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { createClickHouse } from '../clickhouse.ts'
import type { Pool } from '../postgres.ts'
import {
  checkClickHouseMigrations,
  checkPostgresMigrations,
  compareMigrations,
  MigrationsError,
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
  expect(compareMigrations('Postgres', wanted, applied)).toBe(sentence)
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
    await clickhouse.command({ query: 'drop table migrations' })
    await expect(checkClickHouseMigrations(clickhouse)).rejects.toThrow('was not migrated yet')
  } finally {
    await Promise.all([clickhouse.close(), missing.close()])
  }
})
