/**
 * Services that are killed or replaced while events are sent, and a stop and a start of the whole
 * product. The tests share one product, and the last one ends it.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { Demo } from '../../dev/demo/demo.ts'
import { loadUnderFaults } from '../faults/load-and-check.ts'
import { productOfThisFile, RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { TestProject } from '../fixtures/test-project.ts'
import { ApiLoad } from './api-load.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'sluice-restart-'))
// The user that runs Postgres needs search permission on the folder, or its data is stored
// elsewhere.
await chmod(dataDir, 0o711)
// The hook that is registered first runs last.
afterAll(() => rm(dataDir, { recursive: true, force: true }))
const product = productOfThisFile({ dataDir })

const eventId = (digit: string) => digit.repeat(32)
const envelope = (id: string) => `{"event_id":"${id}"}\n{"type":"event"}\n{"message":"still here"}`

describe('a service killed with SIGKILL', () => {
  test.each(['ingest', 'workers', 'api'] as const)(
    '%s is restarted, and the next event is stored',
    async (name) => {
      const project = await product().project(`killed ${name}`)
      await project.send({ body: envelope(eventId('1')) })
      await project.hasEvents(1)

      const service = product().stack.services[name]
      const { pid } = service
      await service.crash('SIGKILL')
      await waitUntil(`another ${name}`, async () => ![undefined, pid].includes(service.pid))
      await service.ready()

      expect(await project.send({ body: envelope(eventId('2')) })).toMatchObject({ status: 200 })
      await project.hasEvents(2)
      expect((await project.events()).map(({ id }) => id)).toEqual([eventId('2'), eventId('1')])
      await project.hasAccounting({ 'accepted error': 2 })
    },
  )

  test('events that arrive while workers are down are stored afterwards', async () => {
    const project = await product().project('later')
    const { workers } = product().stack.services
    await workers.kill('SIGKILL')
    for (let sent = 0; sent < 20; sent += 1) {
      expect(await project.send({ body: '{}\n{"type":"event"}\n{"message":"m"}' })).toMatchObject({
        status: 200,
      })
    }
    expect(await project.countedEvents()).toBe(0)
    await workers.start()
    await project.hasEvents(20)
    expect(await project.events()).toHaveLength(20)
  })
})

test('every service is replaced under load without a failed request', async () => {
  const { stack } = product()
  const before = pids()
  // Health checks are rate-limited by address; this page is not.
  const api = new ApiLoad(`${stack.urls.api}/portal/embed.js`)
  const result = await loadUnderFaults(stack, {
    kind: '1k',
    connections: 32,
    ratePerSecond: 500,
    faults: async () => {
      await sleep(500)
      await stack.handOver()
    },
  })
  await waitUntil('the API to be handed over', async () =>
    stack.lastLines().some((line) => line.includes('handed_over')),
  )
  const answers = await api.stop()

  expect(result.load.statuses).toEqual({ '200': result.load.requestsSent })
  expect(result.load.requestsSent).toBeGreaterThan(500)
  expect(result.load.broken).toBe(0)
  expect(result.ids).toMatchObject({ missing: 0, duplicates: 0, foreign: 0 })
  expect(result.accounting.faults).toEqual([])
  expect(answers.failures).toEqual([])
  expect(answers.count).toBeGreaterThan(100)
  // The launcher process of the API stays, but the process behind it is new.
  expect(pids().ingest).not.toBe(before.ingest)
  expect(pids().workers).not.toBe(before.workers)
  // Metrics keep their URLs.
  for (const [name, url] of Object.entries(stack.demo.metricsUrls)) {
    await waitUntil(`the metrics of ${name}`, async () => {
      const response = await fetch(url).catch(() => undefined)
      return response?.ok === true && (await response.text()).includes('process_start_time_seconds')
    })
  }
})

test('everything is kept across a stop and a start', async () => {
  const { demo } = product().stack
  const before = await product().project('kept')
  await before.send({ body: envelope(eventId('a')) })
  await before.hasEvents(1)
  const issue = await before.issue()
  await product().stop()

  const running = await RunningProduct.start({ dataDir })
  try {
    expect(running.stack.demoIsFresh).toBe(false)
    expect(running.stack.demo).toMatchObject(credentialsOf(demo))
    const file = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'))
    expect(Demo.parse(file)).toEqual(running.stack.demo)

    const { id, dsnId: dsn_id, dsn } = before
    const after = new TestProject(running, { id, dsn_id, dsn }, before.token)
    expect(await after.issue()).toEqual(issue)
    expect(await after.event(eventId('a'))).toMatchObject({ title: 'still here' })
    await after.hasAccounting({ 'accepted error': 1 })

    expect(await after.send({ body: envelope(eventId('b')) })).toMatchObject({ status: 200 })
    await after.hasEvents(2)
    expect(await after.issue()).toMatchObject({ id: issue.id, count: 2 })
  } finally {
    await running.stop()
  }
})

function pids() {
  const { ingest, workers } = product().stack.services
  return { ingest: ingest.pid, workers: workers.pid }
}

/** All fields but the URLs, whose ports are new at each start. */
function credentialsOf(demo: Demo): Partial<Demo> {
  const { projectId, dsnId, projectKey, accessToken, apiKey, newsletter, owner } = demo
  return { projectId, dsnId, projectKey, accessToken, apiKey, newsletter, owner }
}
