/**
 * An older Postgres is put back beside newer rows: workers notice it and wait, `admin reconcile`
 * counts what Postgres does not know, and the product continues.
 */
import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { ReconcileReport } from '../../api/reconcile/reconcile-report.ts'
import { copyPostgres, type PostgresCopy } from '../fixtures/processes/postgres-copy.ts'
import { productOfThisFile } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = productOfThisFile()
const copies: PostgresCopy[] = []

afterEach(async () => {
  for (const copy of copies.splice(0)) await copy.remove()
})

async function backUp(): Promise<PostgresCopy> {
  const copy = await copyPostgres(product().stack)
  copies.push(copy)
  await waitUntil(
    'Postgres',
    async () => (await product().postgres.query('select 1')).rowCount === 1,
  )
  return copy
}

interface Sent {
  readonly type?: string
  readonly release?: string
  readonly ids?: string[]
}

/** Sends events in envelopes of ten, and returns their ids when all are answered 200. */
async function sendEvents(
  project: TestProject,
  count: number,
  { type = 'Broken', release = 'shop@1', ids = newIds(count) }: Sent = {},
): Promise<string[]> {
  for (let at = 0; at < count; at += 10) {
    const lines = ids.slice(at, at + 10).flatMap((id) => [
      JSON.stringify({ type: 'event' }),
      JSON.stringify({
        event_id: id,
        platform: 'other',
        release,
        exception: { values: [{ type, value: 'it broke' }] },
      }),
    ])
    const body = Buffer.from(`${['{}', ...lines].join('\n')}\n`)
    const { status } = await project.send({ body })
    expect(status).toBe(200)
  }
  return ids
}

function newIds(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(16).toString('hex'))
}

const readyUrl = () => `${product().stack.urls.workers}/health/ready`

async function isOlder(): Promise<boolean> {
  const response = await fetch(readyUrl())
  return response.status === 503 && (await response.text()).includes('Postgres is older')
}

async function isReady(): Promise<boolean> {
  return (await fetch(readyUrl())).status === 200
}

const reconcile = (...flags: string[]) =>
  product().adminJson<ReconcileReport>('reconcile', ...flags)

/** What the invariants promise: the same number everywhere. */
async function countsOf(project: TestProject) {
  const one = async (query: string) => {
    const [row] = await product().rowsOf<{ n: string }>(query, { id: project.dsnId })
    return Number(row?.n)
  }
  const { rows } = await product().postgres.query(
    `select (select coalesce(sum(count), 0)::int from issues where project_id = $1) as issues,
       (select coalesce(sum(count), 0)::int from hash_sums where project_id = $1) as hashes,
       (select coalesce(sum(event_count), 0)::int from releases where project_id = $1) as releases,
       (select coalesce(sum(used), 0)::int from quota_usage where project_id = $1) as quota`,
    [project.dsnId],
  )
  return {
    ...rows[0],
    events: await one(
      'select sum(1 + length(sampled_ids)) as n from events where project_id = {id: UInt64}',
    ),
    accepted: await one(
      `select sum(quantity) as n from outcomes where project_id = {id: UInt64} and outcome = 'accepted' and category = 'error'`,
    ),
    duplicates: await one(
      `select sum(quantity) as n from outcomes where project_id = {id: UInt64} and outcome = 'duplicate'`,
    ),
  }
}

async function expectExactly(project: TestProject, events: number): Promise<void> {
  const expected = {
    ...{ issues: events, hashes: events, releases: events, quota: events },
    ...{ events, accepted: events, duplicates: 0 },
  }
  await waitUntil(`${events} events everywhere`, async () => {
    const now = await countsOf(project)
    return JSON.stringify(now) === JSON.stringify(expected)
  }).catch(() => undefined)
  expect(await countsOf(project)).toEqual(expected)
}

/** Without what running processes change between two reports: their leases of quota. */
function steady(report: object): unknown {
  const changing = new Set(['dry_run', 'leases_settled', 'quota_before', 'quota_after'])
  return JSON.parse(JSON.stringify(report, (key, value) => (changing.has(key) ? undefined : value)))
}

describe('A Postgres of before 300 events', () => {
  test('is noticed, reconciled once, and counts on', async () => {
    const project = await product().projectAtOnce('restored')
    await sendEvents(project, 50)
    await project.hasEvents(50)
    const backup = await backUp()
    await sendEvents(project, 200)
    await sendEvents(project, 100, { type: 'New', release: 'shop@2' })
    await project.hasEvents(350)
    await backup.restore()

    await waitUntil('the detection', isOlder)
    expect(await project.countedEvents()).toBe(50)
    await waitUntil('the metric', async () => {
      const metrics = await (await fetch(`${product().stack.urls.workers}/metrics`)).text()
      return /workers_postgres_older\{partition="\d+"\} 1/.test(metrics)
    })
    // What comes meanwhile waits in the stream.
    await sendEvents(project, 20)

    const rehearsed = await reconcile('--dry-run')
    expect(rehearsed.dry_run).toBe(true)
    expect(await project.countedEvents()).toBe(50)
    const report = await reconcile()
    expect(steady(report)).toEqual(steady(rehearsed))
    const [changed] = report.projects.filter(({ dsn_id }) => String(dsn_id) === project.dsnId)
    expect(changed).toMatchObject({ events_before: 50, issues_before: 1 })

    await waitUntil('readiness', isReady)
    await expectExactly(project, 370)
    expect((await reconcile()).partitions).toEqual([])
    await sendEvents(project, 30, { type: 'Later' })
    await expectExactly(project, 400)
  })
})

describe('A reconciliation that is killed', () => {
  test('is run again, and has the result of one that was not disturbed', async () => {
    const project = await product().projectAtOnce('killed')
    await sendEvents(project, 20)
    await project.hasEvents(20)
    const backup = await backUp()
    await sendEvents(project, 200)
    await sendEvents(project, 100, { type: 'New', release: 'shop@2' })
    await project.hasEvents(320)
    await backup.restore()
    await waitUntil('the detection', isOlder)

    for (const name of [
      'reconcile.after_leases',
      'reconcile.before_commit',
      'reconcile.after_commit',
    ]) {
      const variables = { SLUICE_FAILPOINTS: `${name}=kill` }
      const end = await product().adminWith(variables, 'reconcile', '--restored', '--json')
      expect(end.stderr).toContain(`failpoint: ${name}=kill`)
      expect(end.stdout).toBe('')
    }
    await reconcile('--restored')
    await waitUntil('readiness', isReady)
    await expectExactly(project, 320)
    expect((await project.issues()).map(({ count }) => count).sort()).toEqual([100, 220])
    expect((await reconcile()).partitions).toEqual([])
    await sendEvents(project, 10)
    await expectExactly(project, 330)
  })
})

/** Its issue has several counts, titles and states that a restore must not mix up. */
describe('A restored Postgres', () => {
  test('respects resolved, merged and sampled issues, unknown and deleted projects', async () => {
    const [resolved, merged, sampled, deleted] = await Promise.all(
      ['resolved', 'merged', 'sampled', 'deleted'].map((name) => product().projectAtOnce(name)),
    )
    await product().postgres.query(
      'update projects set issue_events_per_minute = 1 where dsn_id = $1',
      [sampled!.dsnId],
    )
    for (const project of [resolved!, sampled!, deleted!]) await sendEvents(project, 10)
    await sendEvents(merged!, 10, { type: 'First' })
    await sendEvents(merged!, 10, { type: 'Second' })
    for (const project of [resolved!, sampled!, deleted!]) await project.hasEvents(10)
    await merged!.hasEvents(20)
    await resolved!.changeIssue((await resolved!.issue()).id, 'resolved')
    const [first, second] = await merged!.issues()
    const into = JSON.stringify({ into: first!.id })
    await merged!.api(`/issues/${second!.id}/merge`, { method: 'POST', body: into })

    const backup = await backUp()
    const late = await product().projectAtOnce('created after the backup')
    const copies = await sendEvents(resolved!, 20)
    await sendEvents(merged!, 30, { type: 'First' })
    await sendEvents(merged!, 30, { type: 'Second' })
    await sendEvents(sampled!, 400)
    await sendEvents(deleted!, 10)
    await sendEvents(late, 10)
    await resolved!.hasEvents(30)
    await merged!.hasEvents(80)
    await sampled!.hasEvents(410)
    await Promise.all([deleted!.hasEvents(20), late.hasEvents(10)])
    expect((await resolved!.issue()).status).toBe('unresolved')
    await backup.restore()

    await waitUntil('the detection', isOlder)
    expect((await resolved!.issue()).status).toBe('resolved')
    await product().postgres.query('delete from projects where dsn_id = $1', [deleted!.dsnId])
    const report = await reconcile()
    const unknown = new Map(report.unknown_projects.map(({ dsn_id, events }) => [dsn_id, events]))
    expect(unknown.get(Number(late.dsnId))).toBeGreaterThan(0)
    await waitUntil('readiness', isReady)
    await expectExactly(resolved!, 30)
    await expectExactly(merged!, 80)
    await expectExactly(sampled!, 410)
    expect(await resolved!.issue()).toMatchObject({ status: 'unresolved', substatus: 'regressed' })
    expect((await merged!.issue()).count).toBe(80)

    // An event that was digested before the restore is still known, and costs no quota.
    await sendEvents(resolved!, 20, { ids: copies })
    await sendEvents(resolved!, 10)
    await resolved!.hasEvents(40)
    // Outcomes are stored before the commit that gives the quota back.
    await expect
      .poll(() => countsOf(resolved!))
      .toMatchObject({ duplicates: 20, events: 40, accepted: 40, quota: 40 })
    // The number of a lost project is not given to another one.
    const next = await product().projectAtOnce('created after the restore')
    expect(Number(next.dsnId)).toBeGreaterThan(Number(late.dsnId))
  })

  test('counts the frames of a dead ingest once', async () => {
    const { ingest } = product().stack.services
    const { nats } = product().stack.engines
    const project = await product().projectAtOnce('dead ingest')
    await sendEvents(project, 10)
    await project.hasEvents(10)
    const backup = await backUp()
    await sendEvents(project, 100)
    await project.hasEvents(110)
    await nats.stop()
    await sendEvents(project, 50)
    await ingest.kill('SIGKILL')
    await backup.restore()
    await nats.start()
    await ingest.start()
    await waitUntil('the detection', isOlder)
    await reconcile()
    await sendEvents(project, 10)
    await expectExactly(project, 170)
    await waitUntil('the dead ingest to be settled', async () => {
      const { rows } = await product().postgres.query(
        `select count(*)::int as open from quota_leases where project_id = $1 and state = 'open'`,
        [project.dsnId],
      )
      return rows[0].open === 0
    })
    await expectExactly(project, 170)
  })
})
