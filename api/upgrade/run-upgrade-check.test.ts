/** The check on real databases that are older, equal, newer, changed or new. */
import { expect, test } from 'vitest'
import { createClickHouse } from '#platform/clickhouse.ts'
import { useDurablePostgres } from '../../test/fixtures/processes/durable-postgres.ts'
import { type PostgresFixture, usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { DoctorSettings } from '../doctor/doctor-settings.ts'
import { openContext } from '../doctor/open-context.ts'
import { checkUpgrade, explainUpgrade } from './run-upgrade-check.ts'

interface Report {
  readonly ready: boolean
  readonly conclusion: string
  readonly pending: readonly Record<string, unknown>[]
  readonly checks: readonly { readonly check: string; readonly status: string }[]
}

let fixture: PostgresFixture
usePostgres((given) => {
  fixture = given
})
useDurablePostgres(() => fixture.pg)

async function check(env: Record<string, string> = {}) {
  const { postgresUrl, clickhouseUrl } = fixture.stores
  const settings = await DoctorSettings.read({
    POSTGRES_URL: postgresUrl,
    CLICKHOUSE_URL: clickhouseUrl,
    SLUICE_DATA_DIR: '/nonexistent/data',
    ...env,
  })
  const { ctx, close } = openContext(settings)
  try {
    const { code, text, json } = await checkUpgrade(ctx)
    const report = json as Report
    const problems = report.checks.filter(({ status }) => status === 'problem')
    return { code, text, report, problems: problems.map((one) => one.check) }
  } finally {
    await close()
  }
}

test('a database of this version is ready, and nothing is pending', async () => {
  const { code, text, report, problems } = await check()
  expect({ problems, code }).toEqual({ problems: [], code: 0 })
  expect(report).toMatchObject({ ready: true, pending: [] })
  expect(text).toContain('PENDING MIGRATIONS\n  none')
})

test('a pending migration names its tables, and many rows cause a warning', async () => {
  const { pg } = fixture
  await pg.query(
    `delete from migrations where name in ('0035-layout-changes.sql', '0007-release-health.sql')`,
  )
  await pg.query(`update pg_class set reltuples = 3e6 where relname = 'releases'`)
  try {
    const { code, report, text } = await check()
    expect(report.pending).toMatchObject([
      { store: 'Postgres', name: '0007-release-health.sql', kind: 'expand' },
      { name: '0035-layout-changes.sql', kind: 'expand' },
    ])
    const tables = report.pending[0]?.['tables']
    expect(tables).toContainEqual({ name: 'releases', rows: 3_000_000 })
    expect(code).toBe(0)
    expect(text).toContain('Ready: run `npm run migrate`')
  } finally {
    await pg.query(
      `insert into migrations (name, sha256) select name, '' from unnest(array['0035-layout-changes.sql', '0007-release-health.sql']) as name`,
    )
  }
  const changed = await check()
  expect({ code: changed.code, problems: changed.problems }).toEqual({
    code: 1,
    problems: ['migrations.postgres'],
  })
})

test.each([
  ['an expansion', false, 0],
  ['a contraction', true, 1],
  ['one that is not recorded', null, 1],
])('a newer ClickHouse with %s', async (_name, contract, code) => {
  const clickhouse = createClickHouse(fixture.stores.clickhouseUrl, 'test')
  try {
    await fixture.pg.query(`delete from migrations where sha256 = ''`)
    await clickhouse.command({ query: `delete from migrations where name like '9999%'` })
    const values = [{ name: '9999-later.sql', sha256: '', contract }]
    await clickhouse.insert({ table: 'migrations', values, format: 'JSONEachRow' })
    const found = await check()
    expect(found.code).toBe(code)
    expect(found.text).toContain('9999-later.sql')
  } finally {
    await clickhouse.command({ query: `delete from migrations where name like '9999%'` })
    await clickhouse.close()
  }
})

test('a ClickHouse that does not answer is a problem', async () => {
  const { code, problems } = await check({ CLICKHOUSE_URL: 'http://127.0.0.1:9/sluice' })
  expect(code).toBe(1)
  expect(problems).toContain('migrations.clickhouse')
})

test('without --check it says what to do', async () => {
  expect(await explainUpgrade()).toMatchObject({
    code: 0,
    text: expect.stringContaining('--check'),
  })
})
