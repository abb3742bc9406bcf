/**
 * The product of today starts on a data folder of an earlier version, recorded in
 * `data-folder-0029.json` when 29 migrations existed: two issues, a campaign that was sent and a
 * draft, a contact, an idea with votes, secrets, and two events that were answered 200 and that no
 * worker had digested when everything was killed. Clients send while it starts. Later its processes
 * start on databases that a newer version has migrated.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { Demo } from '../../dev/demo/demo.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { loadDataFolder, type RecordedFolder, readRecordedFolder } from './load-data-folder.ts'
import { findLostVotes, UpgradeLoad } from './upgrade-load.ts'

let recorded: RecordedFolder
let dataDir: string
let product: RunningProduct
let load: UpgradeLoad

beforeAll(async () => {
  recorded = await readRecordedFolder('data-folder-0029.json')
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-upgrade-'))
  // The user that Postgres runs as must be able to walk through, or its data lies elsewhere.
  await chmod(dataDir, 0o711)
  await loadDataFolder(recorded, dataDir)
  const [ingestPort, apiPort] = await Promise.all([freePort(), freePort()])
  const dsn = new URL(recorded.demo.dsn)
  dsn.port = String(ingestPort)
  const apiUrl = `http://127.0.0.1:${apiPort}`
  load = new UpgradeLoad({ ...recorded.demo, dsn: dsn.href, apiUrl }, recorded.ids.idea)
  load.start()
  const env = { INGEST_PORT: String(ingestPort), API_PORT: String(apiPort) }
  product = await RunningProduct.start({ dataDir, env })
})
afterAll(async () => {
  await load?.stop()
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
  const path = `/api/v1/projects/${recorded.demo.projectId}/issues?limit=100`
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

test('what was answered with 200 while the product started is stored once, and emails are sent once', async () => {
  const { eventIds, sentIds, subjects } = load.promises
  await waitUntil('requests that are answered with 200', async () => {
    return eventIds.size >= 20 && subjects.size > 0 && load.voters.size > 0
  })
  await load.stop()
  const { dsnId } = recorded.demo
  const storedIds = async () => {
    const rows = await product.rowsOf<{ id: string }>(
      `select replaceAll(toString(event_id), '-', '') as id from events where project_id = {dsnId: UInt64}
       union all
       select replaceAll(toString(arrayJoin(sampled_ids)), '-', '') from events where project_id = {dsnId: UInt64}`,
      { dsnId },
    )
    return rows.map(({ id }) => id).filter((id) => sentIds.has(id))
  }
  await waitUntil('every event that was answered with 200', async () => {
    const stored = new Set(await storedIds())
    return [...eventIds].every((id) => stored.has(id))
  })
  const counted = async () => {
    const { rows } = await product.postgres.query<{ count: number }>(
      `select coalesce(sum(count), 0)::int as count from issues where project_id = $1 and title like 'upgrade %'`,
      [dsnId],
    )
    return rows[0]!.count
  }
  // Rows are inserted before they are counted.
  await waitUntil('every stored event to be counted', async () => {
    const rows = await storedIds()
    return rows.length <= (await counted())
  })
  const stored = await storedIds()
  expect(stored).toHaveLength(new Set(stored).size)
  expect(await counted()).toBe(stored.length)
  expect(await findLostVotes(product, load.voters)).toEqual([])
  const received = async () => {
    const { items } = await getJson('/dev/mailbox')
    return items.map(({ subject }: { subject: string }) => subject)
  }
  await waitUntil('the emails', async () => {
    const all = new Set(await received())
    return [...subjects].every((subject) => all.has(subject))
  })
  const emails = (await received()).filter((subject: string) => subject.startsWith('upgrade '))
  expect(emails).toHaveLength(new Set(emails).size)
})

describe('on a database that a newer version has migrated', () => {
  const record = async (name: string, contract: boolean) => {
    await product.postgres.query(
      `insert into migrations (name, sha256, contract) values ($1, '', $2)`,
      [name, contract],
    )
  }
  const run = async (program: string, ...args: string[]) => {
    const { postgres, clickhouse, smtp } = product.stack.urls
    return runProgram(process.execPath, [join(projectRoot, 'dist', program), ...args], {
      POSTGRES_URL: postgres,
      CLICKHOUSE_URL: clickhouse,
      SMTP_URL: smtp,
      SLUICE_SECRET: 'a secret that is not the one of the installation',
      MAILER_PORT: '0',
    })
  }

  test('by an expansion, processes start again and say so, and migrate changes nothing', async () => {
    await record('9998-later.sql', false)
    await product.stack.services.mailer.restart()
    const line = product.stack.lastLines().find((one) => one.includes('database_newer'))
    expect(line).toContain('9998-later.sql')
    const before = await product.postgres.query('select * from migrations order by name')
    const end = await run('dev/migrate.js')
    expect({ code: end.code, stderr: end.stderr }).toEqual({ code: 0, stderr: '' })
    expect(end.stdout).toContain('"database_newer"')
    const after = await product.postgres.query('select * from migrations order by name')
    expect(after.rows).toEqual(before.rows)
    const check = await run('api/cli/main.js', 'upgrade', '--check', '--json')
    expect(check.stderr).toBe('')
    expect(JSON.parse(check.stdout).checks).toContainEqual(
      expect.objectContaining({ check: 'migrations.postgres', status: 'warning' }),
    )
  })

  test('by a contraction, they refuse, and so does migrate', async () => {
    await record('9999-contract.sql', true)
    const sentence =
      'Postgres was migrated by a newer version of Sluice (this one does not have 9999-contract.sql): start that version, or a later one'
    for (const program of ['workers/mail/main.js', 'dev/migrate.js']) {
      const end = await run(program)
      expect({ program, code: end.code }).toEqual({ program, code: 1 })
      expect(end.stderr).toContain(sentence)
    }
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
