import { expect, test } from 'vitest'
import { apiOfThisFile, fixtureSecret } from '../../test/fixtures/api-fixture.ts'
import { runAdmin } from './run-admin.ts'

const api = apiOfThisFile()

async function admin(line: string, env: Record<string, string> = {}) {
  let stderr = ''
  const { postgresUrl, clickhouseUrl } = api().stores
  const code = await runAdmin(line.split(' '), {
    env: {
      POSTGRES_URL: postgresUrl,
      CLICKHOUSE_URL: clickhouseUrl,
      SLUICE_SECRET: fixtureSecret,
      ...env,
    },
    stdout: () => undefined,
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stderr }
}

const run = (sql: string) => api().pool.query(sql)

// biome-ignore format: the columns are the point
test.each([
  ['a database of a newer version', `insert into migrations (name, sha256) values ('9999-later.sql', '')`, `delete from migrations where name = '9999-later.sql'`, 'Postgres was migrated by a newer version of Sluice (this one does not have 9999-later.sql): start that version, or a later one.'],
  ['one that lacks a migration   ', `update migrations set name = '0000-x' where name like '0021%'; delete from migrations where name = '0000-x'`, `insert into migrations (name, sha256) values ('0021-installation.sql', '')`, 'Postgres lacks migrations of this version (0021-installation.sql): run `npm run migrate` first.'],
  ['one that is empty            ', `alter table migrations rename to other`, `alter table other rename to migrations`, 'Postgres was not migrated yet: run `npm run migrate` first.'],
] as const)('%s is refused with one sentence', async (_name, spoil, mend, sentence) => {
  await run(spoil)
  expect(await admin('organization list')).toEqual({ code: 1, stderr: `${sentence}\n` })
  await run(mend)
  expect(await admin('organization list')).toEqual({ code: 0, stderr: '' })
})

test('a command that uses the secret refuses another one', async () => {
  await api().tenant('shop')
  expect((await admin('portal make-secret')).code).toBe(0)
  const { code, stderr } = await admin('portal make-secret', { SLUICE_SECRET: 'x'.repeat(40) })
  expect(code).toBe(1)
  expect(stderr).toContain('SLUICE_SECRET is not the secret of installation')
  expect((await admin('organization list', { SLUICE_SECRET: 'x'.repeat(40) })).code).toBe(0)
})

test.each(['show --email a@b.test', 'erase --email a@b.test --yes'])(
  '`person-data %s` needs no public address, because it prints none',
  async (words) => {
    const { organizationId } = await api().tenant('addresses')
    const line = `person-data ${words} --organization ${organizationId}`
    expect(await admin(line)).toEqual({ code: 0, stderr: '' })
  },
)
