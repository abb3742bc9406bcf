/**
 * Quota in the whole product: how stock SDKs react to it, and whether all counts agree in the end.
 */
import { describe, expect, test } from 'vitest'
import { runClient } from '../fixtures/processes/run-client.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

async function limitedProject(name: string, monthlyEvents: number): Promise<TestProject> {
  const project = await product().project(name)
  await setLimit(project, monthlyEvents)
  return project
}

async function setLimit(project: TestProject, monthlyEvents: number): Promise<void> {
  const flags = ['--project', project.id, '--monthly-events', String(monthlyEvents)]
  await product().adminJsonOfDemo('quota', 'set', ...flags)
}

async function usedOf({ dsnId }: TestProject): Promise<{ used: number; open: number }> {
  const { rows } = await product().postgres.query(
    `select (select used from quota_usage where project_id = $1) as used,
            (select count(*) from quota_leases where project_id = $1 and state = 'open') as open`,
    [dsnId],
  )
  return rows[0]
}

/** Waits for the use of the project; unused leases are returned after a second. */
async function hasUsed(project: TestProject, used: number): Promise<void> {
  await waitUntil(`project ${project.dsnId} has no open lease`, async () => {
    return (await usedOf(project)).open === 0
  })
  await waitUntil(`${used} units used`, async () => (await usedOf(project)).used === used).catch(
    () => undefined,
  )
  expect(await usedOf(project)).toEqual({ used, open: 0 })
}

let lastEventNo = 0

function newEvent(): string {
  lastEventNo += 1
  const id = lastEventNo.toString(16).padStart(32, '0')
  return `{"event_id":"${id}"}\n{"type":"event"}\n{"message":"the soup is cold"}`
}

describe.each(['@sentry/node', '@sentry/node-10'])('%s', (sdk) => {
  test('stops sending errors after a 429, and reports how many it dropped', async () => {
    const project = await limitedProject('small', 2)
    const report = await runClient('node-sdk.mjs', sdk, 'four', project.dsn)
    expect(report).toMatchObject({ code: 0, losses: ['ratelimit_backoff error'] })
    // Status 0 is the fourth event, which was not sent.
    expect(report.statuses.filter((status) => status !== 200)).toEqual([429, 0])
    // Free items are still accepted.
    expect(report.itemTypes).toContain('client_report')
    await project.hasEvents(2)
    const accounting = { 'over_quota error': 1, 'accepted error': 2 }
    await project.hasAccountingAmong(accounting)
    // Items are counted for the SDK with any outcome.
    expect(await project.accounting('sentry.javascript.node')).toMatchObject(accounting)
    expect(await project.accounting('sentry.javascript.node')).toEqual(await project.accounting())
    await hasUsed(project, 2)
  })
})

test('exactly as many concurrent events are accepted as the quota allows, and a raised quota takes effect', async () => {
  const project = await limitedProject('many at once', 100)
  const bodies = Array.from({ length: 240 }, newEvent)
  const replies = await Promise.all(bodies.map((body) => project.send({ body })))
  const taken = replies.filter(({ status }) => status === 200)
  const refused = replies.filter(({ status }) => status === 429)
  expect([taken.length, refused.length]).toEqual([100, 140])
  const { headers } = refused[0]!
  expect(headers['x-sentry-rate-limits']).toBe(
    `${headers['retry-after']}:error:project:quota_exceeded`,
  )

  await setLimit(project, 105)
  const more: number[] = []
  await waitUntil('five more events are taken', async () => {
    const { status } = await project.send({ body: newEvent() })
    if (status === 200) more.push(status)
    return more.length === 5
  })
  expect(await project.send({ body: newEvent() })).toMatchObject({ status: 429 })
  await project.hasEvents(105)
  await hasUsed(project, 105)
})

test('copies of an event use one unit of quota, in any process that detects them', async () => {
  const project = await limitedProject('copies', 50)
  const body = newEvent()
  // Sent concurrently, so that no copy is known when it is charged.
  await Promise.all(Array.from({ length: 10 }, () => project.send({ body })))
  expect(await project.send({ body })).toMatchObject({ status: 200 })
  await project.hasAccounting({ 'accepted error': 1, 'duplicate error': 10 })
  await hasUsed(project, 1)
})
