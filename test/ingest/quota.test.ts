/**
 * Quota in the whole product: how stock SDKs react, and whether the accounting is exact in the end.
 */
import { describe, expect, test } from 'vitest'
import { runClient } from '../fixtures/processes/run-client.ts'
import { productOfThisFile } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = productOfThisFile()

async function limitedProject(name: string, monthlyEvents: number): Promise<TestProject> {
  const project = await product().project(name)
  await setLimit(project, monthlyEvents)
  return project
}

async function setLimit(project: TestProject, monthlyEvents: number): Promise<void> {
  const flags = ['--project', project.id, '--monthly-events', String(monthlyEvents)]
  await product().adminJson('quota', 'set', ...flags)
}

async function usedOf({ dsnId }: TestProject): Promise<{ used: number; open: number }> {
  const { rows } = await product().postgres.query(
    `select (select used from quota_usage where project_id = $1) as used,
            (select count(*) from quota_leases where project_id = $1 and state = 'open') as open`,
    [dsnId],
  )
  return rows[0]
}

/** Unused leases are given back after a second. */
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
  test('stops sending errors once it is refused, and says how many it kept back', async () => {
    const project = await limitedProject('small', 2)
    const report = await runClient('node-sdk.mjs', sdk, 'four', project.dsn)
    expect(report).toMatchObject({ code: 0, losses: ['ratelimit_backoff error'] })
    // 0 is the fourth event, which never left the client.
    expect(report.statuses.filter((status) => status !== 200)).toEqual([429, 0])
    // Items that cost no quota are still accepted.
    expect(report.itemTypes).toContain('client_report')
    await project.hasEvents(2)
    await project.hasAccountingAmong({ 'over_quota error': 1, 'accepted error': 2 })
    await hasUsed(project, 2)
  })
})

test('of many events at once exactly as many are taken as the quota has, and a raised one is felt', async () => {
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

test('copies of an event cost one unit, whoever finds them', async () => {
  const project = await limitedProject('copies', 50)
  const body = newEvent()
  // Sent at once, so that no copy is known yet when it is charged.
  await Promise.all(Array.from({ length: 10 }, () => project.send({ body })))
  expect(await project.send({ body })).toMatchObject({ status: 200 })
  await project.hasAccounting({ 'accepted error': 1, 'duplicate error': 10 })
  await hasUsed(project, 1)
})
