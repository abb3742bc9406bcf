import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { adminOf } from '../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { adminIn } = adminOf(api)
let tenant: Tenant
let login: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Begins')
  login = await api().login(tenant, 'owner')
})

const alertsOf = async (projectId: string) => {
  const path = `/api/v1/projects/${projectId}/alerts`
  return (await api().call(path, { login })).body.items
}

const wanted = {
  name: 'New and returned errors',
  enabled: true,
  is_default: true,
  when: [{ type: 'new_issue' }, { type: 'regression' }, { type: 'escalation' }],
  if: { level: ['error', 'fatal'] },
  then: [{ type: 'email', to: ['owners'], enabled: true }],
  cooldown_seconds: 1_800,
  digest_seconds: 600,
  warnings: [],
}

test('a project begins with a rule, which does not come back when it is deleted', async () => {
  const path = '/api/v1/organization/projects'
  const { body } = await api().call(path, { login, method: 'POST', body: { name: 'By API' } })
  const rules = await alertsOf(body.id)
  expect(rules).toMatchObject([wanted])
  const gone = await api().call(`/api/v1/projects/${body.id}/alerts/${rules[0].id}`, {
    login,
    method: 'DELETE',
  })
  expect(gone.status).toBe(204)
  const renamed = await api().call(`${path}/${body.id}`, {
    login,
    method: 'PATCH',
    body: { name: 'Renamed' },
  })
  expect(renamed.status).toBe(200)
  expect(await alertsOf(body.id)).toEqual([])
})

test('also on the command line', async () => {
  const made = await adminIn(tenant, 'project', 'create', '--name', 'By hand', '--json')
  expect(await alertsOf(JSON.parse(made.stdout).id)).toMatchObject([wanted])
})

test('a project that is older than rules gets the same one by the migration', async () => {
  const sql = await readFile(
    new URL('../../schemas/postgres/0041-alerts.sql', import.meta.url),
    'utf8',
  )
  const begin = sql.indexOf('insert into alert_rules')
  const end = sql.indexOf('-- Changes with every change', begin)
  const statements = sql.slice(begin, end)
  const older = await api().tenant('Older')
  const client = await api().pool.connect()
  try {
    // Only this project lacks a rule; those that have one would break the unique index.
    await client.query('begin')
    const ofProject = `from (select * from projects where dsn_id = ${older.project.dsnId}) projects`
    await client.query(
      statements
        .replace('from projects', ofProject)
        .replace(
          'alert_rules r join',
          `(select * from alert_rules where project_id = ${older.project.dsnId}) r join`,
        ),
    )
    await client.query('commit')
  } finally {
    client.release()
  }
  const owner = await api().login(older, 'owner')
  const path = `/api/v1/projects/${older.project.id}/alerts`
  expect((await api().call(path, { login: owner })).body.items).toMatchObject([wanted])
})
