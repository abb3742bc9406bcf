/** An export contains every row of an organization, and nothing of another one. */
import { beforeAll, expect, test } from 'vitest'
import { peopleTables, postgresTables } from '#schemas/stored-data/postgres-tables.ts'
import { notExported } from '../../api/deletions/export-organization.ts'
import { adminOf } from '../fixtures/admin-fixture.ts'
import { apiOfThisFile } from '../fixtures/api-fixture.ts'
import { makeSide, type Side } from '../fixtures/filled-tenant.ts'
import { fillTables } from './fill-tables.ts'

const api = apiOfThisFile()
const { adminIn } = adminOf(api)
let side: Side
let lines: { type: string; table?: string; row?: object; rows?: Record<string, number> }[]

beforeAll(async () => {
  const person = { email: 'ann@people.test', userId: '7', address: '192.0.2.77' }
  side = await makeSide(api(), 'Exports')
  await fillTables(api(), side, { ...person, mark: 'exports-mark' })
  api().time.nowMs += 3_600_000
  const other = await makeSide(api(), 'Other')
  await fillTables(api(), other, { ...person, mark: 'others-mark' })
  // Rows of the fixture are from now on the real clock.
  api().time.nowMs = Date.now() + 60_000
  const answer = await api().call('/api/v1/organization/export', { login: await fresh() })
  expect([answer.status, answer.headers['content-type']]).toEqual([
    200,
    'application/x-ndjson; charset=utf-8',
  ])
  lines = answer.body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line))
})

const fresh = () => api().login(side.tenant)

test('every table is exported, or left out for a reason', async () => {
  const { rows } = await api().pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const exported = postgresTables.filter((table) => table.notExported === undefined)
  const known = [...exported.map(({ name }) => name), 'people', ...Object.keys(notExported)]
  expect(known.sort()).toEqual(rows.map(({ name }) => name).sort())
  expect(peopleTables.every((name) => known.includes(name))).toBe(true)
  const tables = new Set(lines.map(({ table }) => table))
  expect(exported.filter(({ name }) => !tables.has(name))).toEqual([])
  expect(tables).toContain('clickhouse.events')
  expect(tables).toContain('clickhouse.sessions')
  expect(tables).toContain('clickhouse.outcomes')
})

test('the trailer counts the lines, and each table has the rows of the organization', async () => {
  const [header, ...rest] = lines
  const trailer = rest.pop()!
  expect(header).toMatchObject({ type: 'header', version: 1, organization: { name: 'Exports' } })
  const counts: Record<string, number> = {}
  for (const { table } of rest) counts[table!] = (counts[table!] ?? 0) + 1
  expect(trailer).toEqual({ type: 'trailer', rows: counts })
  const { organizationId, project } = side.tenant
  const scope = { organizationId, projectIds: [project.id], projectNumbers: [project.dsnId] }
  for (const table of postgresTables.filter((one) => one.notExported === undefined)) {
    const { rowCount } = await api().pool.query(
      `select from ${table.name} where ${table.rows(scope)}`,
    )
    expect([table.name, counts[table.name]]).toEqual([table.name, rowCount])
  }
  expect(counts).toMatchObject({ 'clickhouse.events': 4, 'clickhouse.outcomes': 1 })
})

test('it holds nothing of another organization, and no secret', async () => {
  const text = JSON.stringify(lines.slice(1))
  expect(text).not.toContain('others-mark')
  for (const secret of ['password_hash', 'token_hash', 'key_hash', 'sealed_', 'csrf_token']) {
    expect(text).not.toContain(secret)
  }
  const { rows } = await api().pool.query<{ hash: Buffer }>('select token_hash as hash from logins')
  for (const { hash } of rows) expect(text).not.toContain(hash.toString('hex'))
})

test('the command line writes it to standard output', async () => {
  const { code, stdout, stderr } = await adminIn(side.tenant, 'organization', 'export', '--to', '-')
  expect([code, stderr]).toEqual([0, ''])
  const written = stdout.trim().split('\n')
  expect(JSON.parse(written.at(-1)!)).toMatchObject({ type: 'trailer', rows: { issues: 1 } })
})
