import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Demo } from '../../dev/demo/demo.ts'
import { productOfThisFile, RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { TestProject } from '../fixtures/test-project.ts'

const eventId = (digit: string) => digit.repeat(32)
const envelope = (id: string) => `{"event_id":"${id}"}\n{"type":"event"}\n{"message":"still here"}`

describe('a service killed with SIGKILL', () => {
  const product = productOfThisFile()

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

test('everything is kept across a stop and a start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-restart-'))
  // The user that runs Postgres needs search permission on the folder, or its data is stored
  // elsewhere.
  await chmod(dataDir, 0o711)
  let running: RunningProduct | undefined
  try {
    running = await RunningProduct.start({ dataDir })
    const { demo } = running.stack
    const before = demoProject(running)
    await before.send({ body: envelope(eventId('a')) })
    await before.hasEvents(1)
    const issue = await before.issue()
    await running.stop()

    running = await RunningProduct.start({ dataDir })
    expect(running.stack.demoIsFresh).toBe(false)
    expect(running.stack.demo).toMatchObject(credentialsOf(demo))
    const file = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'))
    expect(Demo.parse(file)).toEqual(running.stack.demo)

    const after = demoProject(running)
    expect(after.publicKey).toBe(before.publicKey)
    expect(await after.issue()).toEqual(issue)
    expect(await after.event(eventId('a'))).toMatchObject({ title: 'still here' })
    await after.hasAccounting({ 'accepted error': 1 })

    expect(await after.send({ body: envelope(eventId('b')) })).toMatchObject({ status: 200 })
    await after.hasEvents(2)
    expect(await after.issue()).toMatchObject({ id: issue.id, count: 2 })
  } finally {
    await running?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

function demoProject(product: RunningProduct): TestProject {
  const { projectId: id, dsnId, dsn, accessToken } = product.stack.demo
  return new TestProject(product, { id, dsn_id: dsnId, dsn }, accessToken)
}

/** All fields but the URLs, whose ports are new at each start. */
function credentialsOf(demo: Demo): Partial<Demo> {
  const { projectId, dsnId, projectKey, accessToken, apiKey, newsletter, owner } = demo
  return { projectId, dsnId, projectKey, accessToken, apiKey, newsletter, owner }
}
