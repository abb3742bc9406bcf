/** Projects and organizations are removed from every table, also when the worker is killed. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  clickHouseInstallationTables,
  clickHouseTables,
} from '#schemas/stored-data/clickhouse-tables.ts'
import {
  installationTables,
  peopleTables,
  postgresTables,
} from '#schemas/stored-data/postgres-tables.ts'
import { runDeletion } from '../../workers/removals/run-deletion.ts'
import { apiOfThisFile } from '../fixtures/api-fixture.ts'
import { makeSide, type Side } from '../fixtures/filled-tenant.ts'
import { countAll, finishDeletionOf, killedAt, portsOf } from './deletion-bench.ts'
import { fillTables } from './fill-tables.ts'

const api = apiOfThisFile()
let stays: Side
let before: Record<string, number>
let sideCount = 0

const person = { email: 'ann@people.test', userId: '7', address: '192.0.2.7' }

async function filledSide(name: string): Promise<Side> {
  sideCount += 1
  // No rate limit refuses the next side.
  api().time.nowMs += 3_600_000
  const side = await makeSide(api(), `${name} ${sideCount}`)
  await fillTables(api(), side, { ...person, mark: `${name.toLowerCase()}-mark-${sideCount}` })
  return side
}

beforeAll(async () => {
  stays = await filledSide('Stays')
  before = await countAll(api())
})

/** Their rows belong to rules of projects, or to webhooks of the organization. */
const sharedTables: ReadonlySet<string> = new Set([
  'notification_deliveries',
  'notification_targets',
])
/** Tables that other tests of the file add to, or that a deletion itself writes. */
const ownTables = new Set(['attachment_removals', 'deletions', 'deleted_projects', 'rate_windows'])

async function changedTables(): Promise<string[]> {
  const after = await countAll(api())
  return Object.keys(after).filter((name) => !ownTables.has(name) && after[name] !== before[name])
}

function deleteProjectOf(side: Side, query: string) {
  return api().call(`/api/v1/organization/projects/${side.tenant.project.id}${query}`, {
    method: 'DELETE',
    login: side.login,
  })
}

test('every table of both stores is in the catalogue', async () => {
  const { rows } = await api().pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const known = [
    ...postgresTables.map(({ name }) => name),
    ...peopleTables,
    ...Object.keys(installationTables),
  ]
  expect(rows.map(({ name }) => name).sort()).toEqual(known.sort())
  const answer = await api().clickhouse.query({
    query: 'select name from system.tables where database = currentDatabase()',
    format: 'JSONEachRow',
  })
  const listed = (await answer.json<{ name: string }>()).map(({ name }) => name)
  const catalogued: readonly string[] = [
    ...clickHouseTables.map(({ name }) => name),
    ...clickHouseInstallationTables,
  ]
  expect(listed.filter((name) => !catalogued.includes(name))).toEqual([])
})

test('the fixture fills every table of the catalogue', () => {
  const empty = postgresTables.filter(({ name }) => before[name] === 0)
  expect(empty.map(({ name }) => name)).toEqual([])
})

describe('deleting a project', () => {
  test('needs its name, and the role owner', async () => {
    const { login, tenant } = stays
    const path = `/api/v1/organization/projects/${tenant.project.id}`
    const call = (query: string, who = login) =>
      api().call(`${path}${query}`, { method: 'DELETE', login: who })
    expect((await call('')).status).toBe(400)
    const wrong = await call('?confirm=Shop')
    expect([wrong.status, wrong.body.details[0].field]).toEqual([400, 'confirm'])
    const member = await api().login(tenant, 'member')
    expect((await call(`?confirm=Stays+1`, member)).status).toBe(403)
    await api().pool.query('delete from people where id = $1', [member.personId])
  })

  test('removes it from every table, and nothing of another project', async () => {
    const side = await filledSide('Goes')
    const answer = await deleteProjectOf(side, `?confirm=Goes+${sideCount}`)
    expect([answer.status, answer.body.state]).toEqual([202, 'removing'])
    const { project } = side.tenant
    expect((await api().of(side.tenant, '/issues')).status).toBe(404)
    expect((await api().call(`/api/v1/p/${project.projectKey}/ideas`)).status).toBe(404)
    const keys = await api().pool.query('select from dsn_keys where project_id = $1', [project.id])
    expect(keys.rowCount).toBe(0)

    const again = await deleteProjectOf(side, `?confirm=x`)
    expect([again.status, again.body.id]).toEqual([202, answer.body.id])

    await finishDeletionOf(api(), answer.body.id)
    const { body: receipt } = await api().call(`/api/v1/organization/deletions/${answer.body.id}`, {
      login: side.login,
    })
    expect(receipt).toMatchObject({
      state: 'done',
      rows: {
        dsn_keys: 1,
        issues: 1,
        hash_sums: 1,
        comments: 3,
        projects: 1,
        'clickhouse.events': 4,
      },
      requested_by: side.login.personId,
    })
    const ofProject = postgresTables.filter((table) => table.of === 'project')
    const scope = { projectIds: [project.id], projectNumbers: [project.dsnId] }
    for (const table of ofProject) {
      const { rowCount } = await api().pool.query(
        `select from ${table.name} where ${table.rows(scope)}`,
      )
      expect([table.name, rowCount]).toEqual([table.name, 0])
    }
    expect((await deleteProjectOf(side, '?confirm=x')).body.id).toBe(answer.body.id)
    const names = ofProject.map(({ name }) => name).filter((name) => !sharedTables.has(name))
    for (const table of sharedTables) {
      const rest = `select from ${table} where organization_id = $1 and webhook_id is null`
      const { rowCount } = await api().pool.query(rest, [side.tenant.organizationId])
      expect([table, rowCount]).toEqual([table, 0])
    }
    expect((await changedTables()).filter((name) => names.includes(name))).toEqual([])
    // The organization, which would be in the way of later counts.
    await removeOrganization(side, `Goes ${sideCount}`)
    expect(await changedTables()).toEqual([])
  })

  test('continues after a kill at every step, and counts each row once', async () => {
    const whole = await filledSide('Killed')
    const { body: unharmed } = await deleteProjectOf(whole, `?confirm=Killed+${sideCount}`)
    await finishDeletionOf(api(), unharmed.id)
    await removeOrganization(whole, `Killed ${sideCount}`)

    const side = await filledSide('Killed')
    const { body } = await deleteProjectOf(side, `?confirm=Killed+${sideCount}`)
    const ports = await portsOf(api())
    let kills = 0
    // Each step is killed after its work, before it is noted, and after it is noted.
    for (let end = 'killed'; end === 'killed' && kills < 2_000; ) {
      for (const call of [2, 3, 4]) {
        end = await runDeletion(killedAt(ports, call), body.id).catch(() => 'killed')
        if (end === 'killed') kills += 1
      }
    }
    const stepCount = ports.stepsOf(await ports.read(unharmed.id).then((one) => one!)).length
    expect(kills).toBeGreaterThan(2 * 2 * stepCount)
    const [wanted, receipt] = await Promise.all([receiptOf(unharmed.id), receiptOf(body.id)])
    expect(receipt).toEqual(wanted)
    await removeOrganization(side, `Killed ${sideCount}`)
    expect(await changedTables()).toEqual([])
  })

  test('a process that has lost its lock does not take a receipt back', async () => {
    const side = await filledSide('Late')
    const { body } = await deleteProjectOf(side, `?confirm=Late+${sideCount}`)
    const ports = await portsOf(api())
    // It read the row before another process finished the deletion.
    const stale = await ports.read(body.id)
    await finishDeletionOf(api(), body.id)
    const receipt = await receiptOf(body.id)
    expect(receipt.state).toBe('done')
    await runDeletion({ ...ports, read: async () => stale }, body.id)
    expect(await receiptOf(body.id)).toEqual(receipt)
    await removeOrganization(side, `Late ${sideCount}`)
  })
})

/** What a deletion did, without what differs between two of them. */
async function receiptOf(id: string): Promise<{ state: string }> {
  const { rows } = await api().pool.query(
    `select state, counts, remaining, subject, finished_at is null as unfinished from deletions where id = $1`,
    [id],
  )
  return rows[0]
}

async function removeOrganization(side: Side, name: string): Promise<void> {
  const { body, status } = await api().call(
    `/api/v1/organization?confirm=${encodeURIComponent(name)}`,
    { method: 'DELETE', login: side.login },
  )
  expect([status, body.kind]).toEqual([202, 'organization'])
  await finishDeletionOf(api(), body.id)
}

describe('deleting an organization', () => {
  test('removes it from every table, with its people and projects', async () => {
    const side = await filledSide('Whole')
    const both = await api().login(side.tenant, 'member')
    await api().pool.query(
      `insert into memberships (organization_id, person_id, role) values ($1, $2, 'member')`,
      [stays.tenant.organizationId, both.personId],
    )
    await removeOrganization(side, `Whole ${sideCount}`)
    // The person of two organizations stays.
    const { rowCount } = await api().pool.query('delete from people where id = $1', [both.personId])
    expect(rowCount).toBe(1)
    expect((await api().call('/api/v1/organization', { login: side.login })).status).toBe(401)
    expect(await changedTables()).toEqual([])
  })
})

test('waits until the stream and the logs of before the request have passed', async () => {
  const side = await filledSide('Waits')
  const { body } = await deleteProjectOf(side, `?confirm=Waits+${sideCount}`)
  const ends = { partitionCount: 2, lastSeq: async (partition: number) => 10 * partition }
  const run = async () => {
    const end = await runDeletion(await portsOf(api(), ends), body.id)
    const { rows } = await api().pool.query('select state from deletions where id = $1', [body.id])
    return [end, rows[0].state]
  }
  const { pool } = api()
  await pool.query(
    `insert into ingest_boots (boot_id, started_at) values ('00000000-0000-4000-8000-000000000001', now() - interval '1 hour')`,
  )
  expect(await run()).toEqual(['waiting', 'waiting_for_stream'])
  await pool.query(
    `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq)
     values (0, 1, 'a', 1, 0, 0), (1, 1, 'a', 1, 9, 9)`,
  )
  // The log of the instance is older than the request.
  await pool.query(
    `update ingest_boots set log_reported_at = now(), log_oldest_at = now() - interval '1 minute'`,
  )
  expect(await run()).toEqual(['waiting', 'waiting_for_stream'])
  await pool.query('update partition_cursors set committed_seq = 10, planned_seq = 10')
  expect(await run()).toEqual(['waiting', 'waiting_for_stream'])
  await pool.query('update ingest_boots set log_reported_at = now(), log_oldest_at = null')
  expect(await run()).toEqual(['done', 'done'])
  await pool.query('delete from partition_cursors')
  await pool.query('delete from ingest_boots')
  await removeOrganization(side, `Waits ${sideCount}`)
})
