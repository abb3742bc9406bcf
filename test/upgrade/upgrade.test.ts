/**
 * The product of today starts on a data folder of an earlier version, recorded in
 * `data-folder-0029.json` when 29 migrations existed: two issues, a campaign that was sent and a
 * draft, a contact, an idea with votes, secrets, and two events that were answered 200 and that no
 * worker had digested when everything was killed.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Demo } from '../../dev/demo/demo.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { loadDataFolder, type RecordedFolder, readRecordedFolder } from './load-data-folder.ts'

const startMsMax = 300_000

let recorded: RecordedFolder
let dataDir: string
let product: RunningProduct

beforeAll(async () => {
  recorded = await readRecordedFolder('data-folder-0029.json')
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-upgrade-'))
  // The user that Postgres runs as must be able to walk through, or its data lies elsewhere.
  await chmod(dataDir, 0o711)
  await loadDataFolder(recorded, dataDir)
  product = await RunningProduct.start({ dataDir })
}, startMsMax)
afterAll(async () => {
  await product?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

test('the demo keeps its keys, and demo.json its fields', async () => {
  expect(product.stack.demoIsFresh).toBe(false)
  const file = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'))
  const { projectId, projectKey, accessToken, apiKey, newsletter, owner } = recorded.demo
  const credentials = { projectId, projectKey, accessToken, apiKey, newsletter, owner }
  expect(Demo.parse(file)).toMatchObject(credentials)
})

test('events that no worker had digested are counted once, and a newer release reopens its issue', async () => {
  const headers = { 'X-API-Key': recorded.demo.accessToken }
  const path = `/api/v1/projects/${recorded.demo.projectId}/issues`
  const issues = async () => {
    const { items } = await getJson(path, headers)
    return items
      .filter(({ title }: { title: string }) => /the (?:cart|order) is/.test(title))
      .map(({ title, count, status }: Record<string, unknown>) => ({ title, count, status }))
      .sort((a: { title: string }, b: { title: string }) => a.title.localeCompare(b.title))
  }
  const total = async () =>
    (await issues()).reduce((sum: number, { count }: { count: number }) => sum + count, 0)
  await waitUntil('the two events of the log', async () => (await total()) >= 5)
  expect(await issues()).toEqual([
    { title: 'Error: the cart is empty', count: 3, status: 'unresolved' },
    { title: 'Error: the order is lost', count: 2, status: 'unresolved' },
  ])
})

test('a person logs in with the same password and sees what was there', async () => {
  const login = await fetch(`${product.stack.urls.api}/api/v1/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(recorded.demo.owner),
  })
  expect(login.status).toBe(200)
  const cookie = login.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ')
  const { campaign, draft, idea } = recorded.ids
  const campaigns = await getJson('/api/v1/admin/email/campaigns', { cookie })
  expect(statesOf(campaigns.items)).toEqual({ [campaign]: 'sent', [draft]: 'draft' })
  const ideas = await getJson(`/api/v1/admin/portal/${recorded.demo.projectId}/ideas`, { cookie })
  expect(JSON.stringify(ideas)).toContain(idea)
  const domains = await getJson('/api/v1/admin/email/domains', { cookie })
  expect(domains.items).toMatchObject([{ domain: 'mail.example.com', state: 'pending' }])
})

test('the portal shows the idea with its vote and its comment', async () => {
  const base = `/api/v1/p/${recorded.demo.projectKey}/ideas/${recorded.ids.idea}`
  expect(JSON.stringify(await getJson(base))).toContain('Dark mode')
  expect(JSON.stringify(await getJson(`${base}/comments`))).toContain('Yes, please.')
})

test('sealed secrets open: all of them are sealed again under the same secret', async () => {
  const end = await product.admin('secret', 'rotate', '--json')
  expect(end).toMatchObject({ code: 0, stderr: '' })
})

test('the unsubscribe link of an email that was sent long ago works', async () => {
  const answer = await fetch(`${product.stack.urls.api}${recorded.unsubscribePath}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  })
  expect(answer.status).toBe(200)
  const { rows } = await product.postgres.query('select status from contacts')
  expect(rows).toEqual([{ status: 'unsubscribed' }])
})

test('the API key sends an email', async () => {
  const { apiKey, newsletter } = recorded.demo
  const answer = await fetch(`${product.stack.urls.api}/api/v1/send`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ newsletter, to: 'eve@example.com', subject: 'Hello', markdown: 'Hi.' }),
  })
  expect(answer.status).toBeLessThan(300)
  await waitUntil('the email', async () => {
    const { items } = await getJson('/dev/mailbox')
    return items.some(({ subject }: { subject: string }) => subject === 'Hello')
  })
})

async function getJson(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${product.stack.urls.api}${path}`, { headers })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return JSON.parse(await answer.text())
}

function statesOf(items: readonly { readonly id: string; readonly state: string }[]) {
  return Object.fromEntries(items.map(({ id, state }) => [id, state]))
}
