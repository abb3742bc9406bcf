/**
 * An embedded installation is moved as docs/operations/move.md says: stopped, its data folder put
 * in another place, and started there on other ports and under other public names. Events are in
 * every stage: stored, in the stream, and in the write-ahead log of a process that was killed.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Demo } from '../../dev/demo/demo.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const eventsEach = 20
const publicUrls = { INGEST_URL: 'https://in.example.com', API_URL: 'https://app.example.com' }

let folder: string
let product: RunningProduct
let before: Demo
let ideaId: string
const eventIds: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-move-'))
  // The user that runs Postgres needs search permission.
  await chmod(folder, 0o711)
  product = await RunningProduct.start({ dataDir: join(folder, 'old') })
  before = product.stack.demo
  await sendEvents()
  await waitUntil('the stored events', async () => (await countedEvents()) === eventsEach)
  const { services, engines } = product.stack
  await Promise.all([services.workers.stop(), services.mailer.stop()])
  await sendEvents()
  const suggested = await call('/ideas/suggest', {
    title: 'Dark mode',
    description: 'Please.',
    enduser_id: 'ann',
  })
  ideaId = suggested.idea_id
  await call(`/ideas/${ideaId}/vote`, { enduser_id: 'bob' })
  await sendEmail('Written before the move')
  await engines.nats.stop()
  await sendEvents()
  await services.ingest.kill('SIGKILL')
  await product.stop()
  await rename(join(folder, 'old'), join(folder, 'new'))
  product = await RunningProduct.start({ dataDir: join(folder, 'new'), env: publicUrls })
})
afterAll(async () => {
  await product?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('demo.json names the new addresses and ports, and keeps every key', async () => {
  const file = await readFile(join(folder, 'new/demo.json'), 'utf8')
  const after = Demo.parse(JSON.parse(file))
  const { projectId, projectKey, accessToken, apiKey, owner } = before
  expect(after).toMatchObject({ projectId, projectKey, accessToken, apiKey, owner })
  expect(after).toMatchObject({ ingestUrl: publicUrls.INGEST_URL, apiUrl: publicUrls.API_URL })
  const dsn = new URL(before.dsn)
  expect(after.dsn).toBe(`https://${dsn.username}@in.example.com${dsn.pathname}`)
  expect(after.postgresUrl).toBe(product.stack.urls.postgres)
  expect(after.postgresUrl).not.toBe(before.postgresUrl)
  expect(file).not.toContain(join(folder, 'old'))
})

test('every event that was answered with 200 is counted once, and the DSN key goes on', async () => {
  await sendEvents()
  const wanted = 4 * eventsEach
  await waitUntil('all events', async () => (await countedEvents()) >= wanted)
  expect(await countedEvents()).toBe(wanted)
  const rows = await product.rowsOf<{ id: string }>(
    `select replaceAll(toString(event_id), '-', '') as id from events where project_id = {dsnId: UInt64}`,
    { dsnId: before.dsnId },
  )
  expect(rows.map(({ id }) => id).sort()).toEqual([...eventIds].sort())
})

test('the email that waited is sent once, and votes are there', async () => {
  await waitUntil('the email', async () => (await subjects()).length > 0)
  await sendEmail('Written after the move')
  await waitUntil('the second email', async () => (await subjects()).length > 1)
  expect((await subjects()).sort()).toEqual(['Written after the move', 'Written before the move'])
  const idea = await call(`/ideas/${ideaId}`)
  expect(JSON.stringify(idea)).toContain('Dark mode')
  expect(idea.feature.vote_count).toBe(1)
})

async function sendEvents(): Promise<void> {
  const key = new URL(before.dsn).username
  const url = `${product.stack.urls.ingest}/api/${before.dsnId}/envelope/?sentry_key=${key}`
  for (let sent = 0; sent < eventsEach; sent += 1) {
    const id = randomBytes(16).toString('hex')
    // No error, because owners would get an email about a new one.
    const event = JSON.stringify({ message: 'moved', level: 'info' })
    const body = `{"event_id":"${id}"}\n{"type":"event","length":${event.length}}\n${event}\n`
    const answer = await fetch(url, { method: 'POST', body })
    expect(answer.status).toBe(200)
    eventIds.push(id)
  }
}

async function sendEmail(subject: string): Promise<void> {
  const { newsletter, apiKey } = before
  const answer = await fetch(`${product.stack.urls.api}/api/v1/send`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ newsletter, to: 'eve@example.com', subject, markdown: 'Hi.' }),
  })
  expect(answer.status).toBe(200)
}

async function countedEvents(): Promise<number> {
  const text = 'select coalesce(sum(count), 0)::int as count from issues where project_id = $1'
  const { rows } = await product.postgres.query(text, [before.dsnId])
  return rows[0].count
}

async function subjects(): Promise<string[]> {
  const answer = await fetch(`${product.stack.urls.api}/dev/mailbox`)
  const { items } = (await answer.json()) as { items: { subject: string }[] }
  return items.map(({ subject }) => subject)
}

/** Calls the portal of the demo. */
async function call(path: string, body?: object) {
  const url = `${product.stack.urls.api}/api/v1/p/${before.projectKey}${path}`
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(url, body === undefined ? {} : init)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return JSON.parse(await answer.text())
}
