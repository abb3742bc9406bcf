import { beforeAll, expect, test } from 'vitest'
import { webhookEvents, webhooksPerOrganizationMax } from '#schemas/rest/alerts/webhook.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../test/fixtures/api-fixture.ts'
import { openTarget } from '../targets/sealed-target.ts'

const api = apiOfThisFile()
let tenant: Tenant
let login: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Hooks')
  login = await api().login(tenant, 'member')
})

const path = '/api/v1/organization/webhooks'
const hook = { url: 'https://example.com/hook', events: ['contact.subscribed'] }
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const call = (method: Method, tail = '', body?: unknown, who = login) =>
  api().call(`${path}${tail}`, { login: who, method, ...(body === undefined ? {} : { body }) })
const contentOf = async (webhookId: string) => {
  const { rows } = await api().pool.query(
    'select id, shown, sealed_settings as sealed from notification_targets where webhook_id = $1',
    [webhookId],
  )
  expect(rows).toHaveLength(1)
  return openTarget(api().ctx.box, rows[0])
}

test('a webhook is created, listed, changed, rotated and deleted', async () => {
  const made = await call('POST', '', hook)
  const { secret, ...shown } = made.body
  expect([made.status, shown]).toMatchObject([201, { ...hook, label: '', enabled: true }])
  expect(secret).toMatch(/^whsec_/)
  expect((await call('GET', `/${shown.id}`)).body).toEqual(shown)
  expect((await call('GET')).body).toEqual({ items: [shown], next_cursor: null })

  const change = {
    url: 'https://example.com/b',
    events: [...webhookEvents],
    label: 'CRM',
    enabled: false,
  }
  expect((await call('PATCH', `/${shown.id}`, change)).body).toMatchObject(change)
  expect(await contentOf(shown.id)).toEqual({
    target: { type: 'webhook', url: change.url },
    secrets: [{ value: secret }],
  })
  await api().pool.query(
    `update notification_targets set disabled_at = now(), disabled_reason = 'It answered 410.' where webhook_id = $1`,
    [shown.id],
  )
  const enabled = await call('PATCH', `/${shown.id}`, { enabled: true })
  expect(enabled.body).toMatchObject({ enabled: true, disabled_at: null, disabled_reason: null })

  const rotated = await call('POST', `/${shown.id}/rotate-secret`)
  const { previous_secret_until: until } = rotated.body
  expect((await contentOf(shown.id))?.secrets).toEqual([
    { value: rotated.body.secret },
    { value: secret, until },
  ])

  expect((await call('DELETE', `/${shown.id}`)).status).toBe(204)
  expect((await call('DELETE', `/${shown.id}`)).status).toBe(404)
  const { rows } = await api().pool.query(
    `select action, details from audit_log where subject_id = $1 order by id`,
    [shown.id],
  )
  expect(rows.map(({ action }) => action)).toEqual([
    'webhook.created',
    'webhook.changed',
    'webhook.changed',
    'webhook.secret_rotated',
    'webhook.deleted',
  ])
  expect(JSON.stringify(rows)).not.toMatch(/whsec_|example\.com/)
})

// biome-ignore format: the columns are the point
test.each([
  ['no event',              { events: [] },                              'events'],
  ['an unknown event',      { events: ['issue.new'] },                   'events.0'],
  ['an event twice',        { events: ['idea.created', 'idea.created'] }, 'events'],
  ['a private address',     { url: 'https://10.0.0.1/' },                'url'],
  ['plain http',            { url: 'http://example.com/' },              'url'],
  ['no URL',                { url: 'hook' },                             'url'],
  ['NUL in the URL',        { url: 'https://example.com/\0' },           'url'],
  ['a line break',          { label: 'a\nb' },                           'label'],
  ['an unknown field',      { secret: 'whsec_mine' },                    'secret'],
] as const)('%s is refused, and the field is named', async (_name, fields, field) => {
  const made = (await call('POST', '', hook)).body
  for (const answer of [
    await call('POST', '', { ...hook, ...fields }),
    await call('PATCH', `/${made.id}`, fields),
  ]) {
    expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, field])
  }
  await call('DELETE', `/${made.id}`)
})

test('viewers see no webhooks', async () => {
  const viewer = await api().login(tenant, 'viewer')
  for (const method of ['GET', 'POST'] as const) {
    const answer = await call(method, '', method === 'POST' ? hook : undefined, viewer)
    expect([method, answer.status, answer.body.code]).toEqual([method, 403, 'missing_role'])
  }
})

test('an organization has at most 20', async () => {
  const full = await api().tenant('Full')
  const who = await api().login(full, 'owner')
  for (let count = 1; count < webhooksPerOrganizationMax; count += 1) {
    expect((await call('POST', '', hook, who)).status).toBe(201)
  }
  const answers = await Promise.all([call('POST', '', hook, who), call('POST', '', hook, who)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
})
