import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminOf } from '../../../../test/fixtures/admin-fixture.ts'
import { apiOfThisFile, type Tenant } from '../../../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
const { adminIn } = adminOf(api)
let tenant: Tenant
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-alerts-'))
  tenant = await api().tenant('Commands')
  await api().login(tenant, 'owner')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function file(value: unknown): Promise<string> {
  const path = join(folder, 'rule.json')
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

async function json(...words: readonly string[]) {
  const { code, stdout, stderr } = await adminIn(tenant, ...words, '--json')
  expect([words, code, stderr]).toEqual([words, 0, ''])
  return JSON.parse(stdout)
}

const webhook = { type: 'webhook', url: 'https://example.com/hook' }
const rule = { name: 'By hand', when: [{ type: 'new_issue' }], then: [webhook] }

test('a rule is created from a file, shown, changed, previewed and deleted', async () => {
  const made = await json('alert', 'create', '--file', await file(rule))
  const { id } = made
  expect(made).toMatchObject(rule)
  const [{ secret }] = made.then
  expect(secret).toMatch(/^whsec_/)

  const shown = await json('alert', 'show', id)
  expect(JSON.stringify(shown)).not.toContain(secret)
  expect(await json('alert', 'list')).toEqual([
    {
      id,
      name: 'By hand',
      enabled: true,
      when: ['new_issue'],
      targets: ['webhook'],
      last_fired_at: null,
      warnings: [],
    },
  ])
  // What `show` prints can be edited and given back.
  const edited = await json('alert', 'update', id, '--file', await file({ ...shown, name: 'B' }))
  expect(edited).toMatchObject({ name: 'B', then: shown.then })
  expect(await json('alert', 'disable', id)).toMatchObject({ enabled: false, name: 'B' })
  expect(await json('alert', 'enable', id)).toMatchObject({ enabled: true })
  const until = '2026-11-22T00:00:00.000Z'
  expect(await json('alert', 'mute', id, '--until', until)).toMatchObject({ muted_until: until })
  expect(await json('alert', 'mute', id, '--until', 'none')).toMatchObject({ muted_until: null })

  for (const words of [[id], ['--file', await file(rule)]]) {
    expect(await json('alert', 'preview', ...words)).toMatchObject({
      would_have_fired: [],
      warnings: [],
      more: false,
    })
  }
  const text = await adminIn(tenant, 'alert', 'preview', id)
  expect(text.stdout).toBe('None.\n')
  expect(text.stderr).toMatch(/^0 firings since .*; 0 notifications\.\n$/)

  const rotated = await json('alert', 'rotate-secret', id)
  expect(rotated.secret).toMatch(/^whsec_/)
  expect(await json('alert', 'delete', id)).toEqual({ id, deleted: true })
  const gone = await adminIn(tenant, 'alert', 'show', id)
  expect([gone.code, gone.stderr]).toEqual([
    1,
    `No alert rule has the id ${id}: see \`alert list\`.\n`,
  ])
})

/** What waits to be sent, by the type of its payload. */
async function waitingDeliveries(ids: readonly string[]) {
  const { rows } = await api().pool.query(
    `select d.id, d.state, d.is_test, payload ->> 'type' as type, exists (
       select from graphile_worker.jobs where task_identifier = 'deliver') as "hasJob"
     from notification_deliveries d where d.id = any($1)`,
    [ids],
  )
  return rows
}

test('a test is one delivery for each target, of a rule and of a webhook', async () => {
  await runMigrations({ pgPool: api().pool })
  const email = { type: 'email', to: ['owners'] }
  const { id } = await json(
    'alert',
    'create',
    '--file',
    await file({ ...rule, then: [webhook, email] }),
  )
  const sent = await json('alert', 'test', id)
  expect(sent).toMatchObject([
    { type: 'webhook', state: 'pending' },
    { type: 'email', state: 'pending' },
  ])
  const made = await json('webhook', 'create', '--url', webhook.url, '--events', 'idea.created')
  const [one, ...others] = await json('webhook', 'test', made.id)
  expect([one.type, others]).toEqual(['webhook', []])
  const ids = [...sent, one].map(({ delivery }: { delivery: string }) => delivery)
  const waits = { state: 'pending', is_test: true, hasJob: true }
  expect(new Set(await waitingDeliveries(ids))).toEqual(
    new Set([
      { id: ids[0], type: 'alert.test', ...waits },
      { id: ids[1], type: 'alert.test', ...waits },
      { id: ids[2], type: 'webhook.test', ...waits },
    ]),
  )
  // A table for people names the same.
  const text = await adminIn(tenant, 'alert', 'test', id)
  expect([text.code, text.stderr]).toEqual([0, ''])
  expect(text.stdout).toContain('pending')
  await json('alert', 'delete', id)
  for (const [noun, gone] of [
    ['alert', id],
    ['webhook', '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'],
  ] as const) {
    const answer = await adminIn(tenant, noun, 'test', gone)
    const name = noun === 'alert' ? 'alert rule' : 'webhook'
    expect([answer.code, answer.stderr]).toEqual([
      1,
      `No ${name} has the id ${gone}: see \`${noun} list\`.\n`,
    ])
  }
  await json('webhook', 'delete', made.id)
})

test.each([
  ['alert', 'create', '--file', rule],
  ['webhook', 'create', '--url', webhook.url, '--events', 'idea.created'],
] as const)('the deliveries of a %s are listed and replayed', async (thing, ...words) => {
  const given = await Promise.all(
    words.map((word) => (typeof word === 'string' ? word : file(word))),
  )
  const { id } = await json(thing, ...given)
  const [{ delivery }] = await json(thing, 'test', id)
  expect(await json(thing, 'list-deliveries', id)).toMatchObject([
    { id: delivery, state: 'pending', attempts: [], payload: { type: `${thing}.test` } },
  ])
  expect(await json(thing, 'list-deliveries', id, '--status', 'failed')).toEqual([])
  const text = await adminIn(tenant, thing, 'list-deliveries', id)
  expect(text.stdout).toMatch(
    new RegExp(`^id +at +type .*\\n${delivery} .*${thing}\\.test +webhook`),
  )
  const replay = [thing, 'replay-delivery', id, '--delivery'] as const
  expect(await json(...replay, delivery)).toMatchObject({ id: delivery, state: 'pending' })
  const unknown = await adminIn(tenant, ...replay, id)
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    `No delivery has the id ${id}: see \`list-deliveries\`.\n`,
  ])
  const other = await adminIn(tenant, thing, 'list-deliveries', delivery)
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining(`has the id ${delivery}`)])
  await json(thing, 'delete', id)
})

// biome-ignore format: the columns are the point
test.each<[name: string, content: unknown, sentence: RegExp]>([
  ['no JSON',           '{',                                         /rule\.json must hold JSON\./],
  ['a list',            [rule],                                      /must hold a JSON object\./],
  ['NUL',               { ...rule, name: 'a\0' },                    /^`name`: must not contain a NUL/],
  ['an unknown field',  { ...rule, colour: 'red' },                  /^`colour`: unknown field/],
  ['a faulty target',   { ...rule, then: [{ type: 'webhook' }] },    /^`then\.0\.url`: is required\./],
  ['a private address', { ...rule, then: [{ ...webhook, url: 'https://10.0.0.1/' }] }, /then\.0\.url`?: must lead to a public/],
  ['too much',          { ...rule, name: 'x'.repeat(70_000) },       /must have at most 64 KiB\./],
])('a file with %s is refused by one sentence', async (_name, content, sentence) => {
  const { code, stderr } = await adminIn(tenant, 'alert', 'create', '--file', await file(content))
  expect(code).toBe(1)
  expect(stderr).toMatch(sentence)
  expect(stderr.trim()).not.toContain('\n')
})

test('a file that is missing, and a preview of nothing', async () => {
  const missing = await adminIn(tenant, 'alert', 'create', '--file', join(folder, 'nothing'))
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/cannot be read/)])
  const nothing = await adminIn(tenant, 'alert', 'preview')
  expect([nothing.code, nothing.stderr]).toEqual([
    1,
    'Name what to preview: the id of a rule, or --file.\n',
  ])
})

test('a webhook is created, changed, rotated and deleted', async () => {
  const made = await json('webhook', 'create', '--url', webhook.url, '--events', 'idea.created')
  const { secret, id, ...shown } = made
  expect(secret).toMatch(/^whsec_/)
  expect(await json('webhook', 'list')).toEqual([{ id, ...shown }])
  const events = 'idea.created,email.bounced'
  expect(await json('webhook', 'update', id, '--events', events)).toMatchObject({
    url: webhook.url,
    events: events.split(','),
  })
  expect(await json('webhook', 'disable', id)).toMatchObject({ enabled: false })
  expect(await json('webhook', 'enable', id)).toMatchObject({ enabled: true })
  expect((await json('webhook', 'rotate-secret', id)).secret).not.toBe(secret)
  expect(await json('webhook', 'delete', id)).toEqual({ id, deleted: true })
  const gone = await adminIn(tenant, 'webhook', 'show', id)
  expect([gone.code, gone.stderr]).toEqual([
    1,
    `No webhook has the id ${id}: see \`webhook list\`.\n`,
  ])
  const wrong = await adminIn(tenant, 'webhook', 'create', '--url', webhook.url)
  expect([wrong.code, wrong.stderr]).toEqual([1, '`events`: must not be empty.\n'])
})
