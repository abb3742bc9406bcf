/**
 * The states of issues through ingest and workers: what is set in Postgres as a person's request
 * sets it, and events as SDKs send them.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

interface Sent {
  readonly type: string
  readonly release?: string
  readonly user?: string
  readonly count?: number
}

async function send(project: TestProject, { type, release, user, count = 1 }: Sent): Promise<void> {
  for (let no = 0; no < count; no += 1) {
    const id = randomUUID().replaceAll('-', '')
    const frames = [
      { filename: 'node_modules/http/server.js', function: 'listen', in_app: false },
      { filename: 'src/cart/pay.ts', function: `throw${type}`, in_app: true },
    ]
    const event = {
      event_id: id,
      platform: 'node',
      release,
      user: { id: user ?? 'ann' },
      exception: { values: [{ type, value: 'no', stacktrace: { frames } }] },
    }
    const body = `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`
    expect((await project.send({ method: 'POST', body })).status).toBe(200)
  }
}

async function issueOf(project: TestProject, type: string) {
  const { rows } = await product().postgres.query(
    `select id, status, substatus, triage_reason, hour_count, count, assignee_team, escalation, ignored_users
     from issues where project_id = $1 and title like $2 || '%'`,
    [Number(project.dsnId), type],
  )
  return rows[0]
}

async function set(project: TestProject, columns: string): Promise<void> {
  await product().postgres.query(`update issues set ${columns} where project_id = $1`, [
    Number(project.dsnId),
  ])
}

test('an issue regresses by a new release, and not by an old one', async () => {
  const project = await product().projectAtOnce('regression')
  await send(project, { type: 'Alpha', release: 'shop@2.0.0' })
  await project.hasEvents(1)
  expect(await issueOf(project, 'Alpha')).toMatchObject({ triage_reason: 'new', hour_count: 1 })
  await set(
    project,
    `status = 'resolved', substatus = null, resolved_at = now(), resolved_in = 'next_release',
     resolved_release = 'shop@2.0.0', triage_at = null, triage_reason = null`,
  )
  await send(project, { type: 'Alpha', release: 'shop@1.9.0' })
  await send(project, { type: 'Alpha', release: 'shop@2.0.0' })
  await send(project, { type: 'Alpha' })
  await project.hasEvents(4)
  expect(await issueOf(project, 'Alpha')).toMatchObject({ status: 'resolved', count: 4 })
  await send(project, { type: 'Alpha', release: 'shop@2.0.1' })
  await project.hasEvents(5)
  expect(await issueOf(project, 'Alpha')).toMatchObject({
    status: 'unresolved',
    substatus: 'regressed',
    triage_reason: 'regressed',
  })
})

test('an issue that is ignored for three users returns with the third', async () => {
  const project = await product().projectAtOnce('ignored')
  await send(project, { type: 'Beta' })
  await project.hasEvents(1)
  await set(project, `status = 'ignored', substatus = null, ignored_until_users = 3`)
  for (const user of ['bob', 'bob', 'cid']) await send(project, { type: 'Beta', user })
  await project.hasEvents(4)
  expect(await issueOf(project, 'Beta')).toMatchObject({ status: 'ignored', ignored_users: 2 })
  await send(project, { type: 'Beta', user: 'dan' })
  await project.hasEvents(5)
  expect(await issueOf(project, 'Beta')).toMatchObject({
    status: 'unresolved',
    triage_reason: 'returned',
  })
})

test('an issue escalates above its forecast, and says both numbers', async () => {
  const project = await product().projectAtOnce('escalation')
  await send(project, { type: 'Gamma' })
  await project.hasEvents(1)
  await product().postgres.query(
    `insert into issue_forecasts (issue_id, made_at, expected, limits)
     select id, now(), array_fill(12, array[168]), array_fill(60, array[168]) from issues where project_id = $1`,
    [Number(project.dsnId)],
  )
  await send(project, { type: 'Gamma', count: 130 })
  await project.hasEvents(131)
  const { escalation, triage_reason } = await issueOf(project, 'Gamma')
  expect({ escalation, triage_reason }).toMatchObject({
    escalation: { expected: 12, limit: 60 },
    triage_reason: 'escalating',
  })
  expect(escalation.count).toBeGreaterThan(60)
})

test('a new issue is assigned by the ownership rules of its project', async () => {
  const project = await product().projectAtOnce('ownership')
  const number = Number(project.dsnId)
  const team = randomUUID()
  await product().postgres.query(
    `insert into teams (id, organization_id, slug, name)
     select $2, organization_id, 'pay', 'Payments' from projects where dsn_id = $1`,
    [number, team],
  )
  await product().postgres.query(
    `update projects set ownership = E'* #nobody\\nsrc/cart/ #pay\\nnode_modules/ #libraries' where dsn_id = $1`,
    [number],
  )
  await send(project, { type: 'Delta' })
  await project.hasEvents(1)
  expect(await issueOf(project, 'Delta')).toMatchObject({
    assignee_team: team,
    triage_reason: 'new',
  })
})
