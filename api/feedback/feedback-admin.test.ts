import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  apiOfThisFile,
  at,
  type Call,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
let other: Tenant
let owner: PersonLogin

beforeAll(async () => {
  tenant = await api().tenant('Shop')
  other = await api().tenant('Other')
  owner = await api().login(tenant)
})
beforeEach(() => {
  api().time.nowMs += 60_000
})

const admin = (path: string, call: Call = {}, of = tenant) =>
  api().call(`/api/v1/admin/feedback/${of.project.id}${path}`, { login: owner, ...call })
const post = (path: string, body: unknown, call: Call = {}) =>
  admin(path, { method: 'POST', body, ...call })
const patch = (path: string, body: unknown, call: Call = {}) =>
  admin(path, { method: 'PATCH', body, ...call })

async function said(fields: object = {}): Promise<string> {
  const { body } = await post('', { message: 'It broke', ...fields })
  return body.id
}

async function auditOf(subject: string): Promise<string[]> {
  const { rows } = await api().pool.query<{ action: string }>(
    'select action from audit_log where subject_id = $1 order by id',
    [subject],
  )
  return rows.map(({ action }) => action)
}

describe('sorting', () => {
  test('a person creates an item', async () => {
    const { status, body } = await post('', {
      message: '  She loves\u0001 the new cart ',
      type: 'Praise',
      path: 'https://shop.test/cart?sid=1',
      version: '1.4.0',
      person_name: 'Ada',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      message: 'She loves the new cart',
      type: 'Praise',
      status: 'New',
      source: 'Dashboard',
      path: '/cart',
      version: '1.4.0',
      person_name: 'Ada',
    })
    expect((await admin(`/${body.id}`)).body).toEqual(body)
    expect(await auditOf(body.id)).toEqual(['feedback.created'])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a status',                 { status: 'Resolved' },             { status: 'Resolved', type: 'Other' }],
    ['any status after any',     { status: 'New' },                  { status: 'New' }],
    ['a type leaves New behind', { type: 'Bug' },                    { status: 'Active', type: 'Bug' }],
    ['unless a status is named', { type: 'Bug', status: 'New' },     { status: 'New', type: 'Bug' }],
    ['archiving changes no more', { archived: true },                { status: 'New', archived: true }],
  ])('%s', async (_name, change, want) => {
    const id = await said()
    expect((await patch(`/${id}`, change)).body).toMatchObject({ id, ...want })
    expect(await auditOf(id)).toEqual(['feedback.created', 'feedback.changed'])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['an unknown status',  { status: 'Done' },   'status'],
    ['an unknown type',    { type: 'bug' },      'type'],
    ['nothing',            {},                   'body'],
    ['archived as a text', { archived: 'yes' },  'archived'],
  ])('%s is refused by name', async (_name, change, field) => {
    const { status, body } = await patch(`/${await said()}`, change)
    expect([status, body.details[0].field]).toEqual([400, field])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a blank one',       ' \n', 400], ['one of one character', 'x', 201],
    ['one of 10,000',     'x'.repeat(10_000), 201], ['one of 10,001', 'x'.repeat(10_001), 400],
  ])('of messages %s gets %i', async (_name, message, status) => {
    expect((await post('', { message })).status).toBe(status)
  })

  test('a deleted idea is not found', async () => {
    const id = await said()
    expect((await admin(`/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await admin(`/${id}`)).status).toBe(404)
    expect((await admin(`/${id}`, { method: 'DELETE' })).status).toBe(404)
  })

  test('many items are changed in one request; ids of other projects are ignored', async () => {
    const ids = [await said(), await said()]
    const change = { status: 'Hold' }
    const all = [...ids, randomUUID()]
    expect((await post('/bulk', { ids: all, change })).body).toEqual({ changed: 2 })
    expect((await admin(`/${ids[1]}`)).body.status).toBe('Hold')
    expect((await post('/bulk', { ids, delete: true })).body).toEqual({ changed: 2 })
    expect((await post('/bulk', { ids })).status).toBe(400)
    expect((await post('/bulk', { ids: [], change })).status).toBe(400)
  })

  test('feedback of an SDK, whose id has no version of a UUID, is changed with others', async () => {
    const id = 'a3386174-78c4-0974-c556-834f0d141715'
    await api().pool.query(
      `insert into feedback (project_id, id, message, type, source, created_at, updated_at)
       values ($1, $2, 'It broke', 'Bug', 'Widget', now(), now())`,
      [tenant.project.dsnId, id],
    )
    const bulk = { ids: [id, await said()], change: { status: 'Closed' } }
    expect((await post('/bulk', bulk)).body).toEqual({ changed: 2 })
    expect((await admin(`/${id}`)).body.status).toBe('Closed')
  })

  test('items are counted by status and type, archived ones separately', async () => {
    const shop = await api().tenant('Counts')
    const login = await api().login(shop)
    const write = (fields: object) =>
      admin('', { method: 'POST', body: { message: 'x', ...fields }, login }, shop)
    await write({ type: 'Bug' })
    await write({ type: 'Bug', status: 'Closed' })
    const { body } = await write({})
    await admin(`/${body.id}`, { method: 'PATCH', body: { archived: true }, login }, shop)
    expect((await admin('/stats', { login }, shop)).body).toMatchObject({
      by_status: { New: 1, Active: 0, Closed: 1 },
      by_type: { Bug: 2, Other: 0 },
      total: 2,
      archived: 1,
    })
  })
})

describe('the roles', () => {
  test('no login is 401, another organization is 404, and a viewer can only read', async () => {
    const path = `/api/v1/admin/feedback/${tenant.project.id}`
    expect((await api().call(path)).status).toBe(401)
    expect((await api().call(path, { token: tenant.token })).status).toBe(401)
    expect((await admin('', {}, other)).status).toBe(404)
    const viewer = await api().login(tenant, 'viewer')
    const id = await said()
    expect((await admin('', { login: viewer })).status).toBe(200)
    expect((await admin('/export', { login: viewer })).status).toBe(403)
    const calls = [
      patch(`/${id}`, { status: 'Closed' }, { login: viewer }),
      post('', { message: 'x' }, { login: viewer }),
      post('/bulk', { ids: [id], delete: true }, { login: viewer }),
      admin(`/${id}`, { method: 'DELETE', login: viewer }),
    ]
    for (const call of calls) expect((await call).body.code).toBe('missing_role')
  })
})

describe('files', () => {
  const csv = (text: string, query = '') =>
    post(`/import${query}`, text, { headers: { 'content-type': 'text/csv' } })

  const lines = [
    '\uFEFFMessage;Type;Status;created_at;colour',
    '"It broke, ""again""";bug;resolved;2025-03-01T10:00:00Z;red',
    ';Bug;New;;',
    'Fine;Idea;;;',
    "'=1+1;;;;",
    'Late;;;2999-01-01T00:00:00Z;',
  ]

  test('a file of another service is read row by row', async () => {
    const text = lines.join('\r\n')
    const want = {
      rows: 5,
      added: 2,
      already_there: 0,
      refused: 3,
      mistakes: [
        { row: 2, field: 'message', rule: 'must not be blank' },
        { row: 3, field: 'type', rule: expect.any(String) },
        {
          row: 5,
          field: 'created_at',
          rule: 'must be a time such as 2024-05-31 or 2024-05-31T12:00:00Z, between 1970 and now',
        },
      ],
      notes: [],
      ignored_columns: ['colour'],
    }
    expect((await csv(text, '?dry_run=true')).body).toEqual({ ...want, dry_run: true })
    const { status, body } = await csv(text)
    expect([status, body]).toEqual([200, { ...want, dry_run: false }])
    expect((await csv(text)).body).toMatchObject({ added: 0, already_there: 2 })
    const { body: found } = await admin('?search=again')
    expect(found.feedback).toMatchObject([
      {
        message: 'It broke, "again"',
        type: 'Bug',
        status: 'Resolved',
        source: 'Import',
        created_at: '2025-03-01T10:00:00.000Z',
      },
    ])
  })

  test.each(['csv', 'json'] as const)('an export as %s can be imported', async (format) => {
    const from = await api().tenant(`From ${format}`)
    const login = await api().login(from)
    const messages = ['=cmd|calc', 'two\nlines, "quoted"', '我想要購物車', "'=kept", '-1']
    for (const [index, message] of messages.entries()) {
      await api().pool.query(
        `insert into feedback (project_id, id, message, type, source, created_at, updated_at)
         values ($1, $2, $3, 'Other', 'Widget', $4, $4)`,
        [from.project.dsnId, randomUUID(), message, at(-index)],
      )
    }
    const out = await admin(`/export?format=${format}`, { login }, from)
    expect(out.headers['content-disposition']).toBe(`attachment; filename="feedback.${format}"`)
    const text = typeof out.body === 'string' ? out.body : JSON.stringify(out.body)
    if (format === 'csv') expect(text).toContain("'=cmd|calc")
    const to = await api().tenant(`To ${format}`)
    const toLogin = await api().login(to)
    const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json'
    const call = { method: 'POST', body: text, login: toLogin } as const
    const report = await admin('/import', { ...call, headers: { 'content-type': type } }, to)
    expect(report.body).toMatchObject({ rows: 5, added: 5, refused: 0 })
    const list = await admin('', { login: toLogin }, to)
    const kept = list.body.feedback.map(({ message }: { message: string }) => message)
    expect(kept).toEqual(messages)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['no JSON',         'application/json', '{',           400],
    ['no array',        'application/json', '{"a":1}',     400],
    ['a broken quote',  'text/csv',         'message\n"x', 400],
    ['another type',    'text/plain',       'message\nx',  415],
    ['nothing',         'text/csv',         '',            200],
  ])('%s', async (_name, type, text, status) => {
    const answer = await post('/import', text, { headers: { 'content-type': type } })
    expect(answer.status).toBe(status)
  })
})
