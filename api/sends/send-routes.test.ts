import { beforeEach, expect, test } from 'vitest'
import { unsupportedSendFields } from '#schemas/rest/email/send.ts'
import { type Answer, apiOfThisFile, type PersonLogin } from '../../test/fixtures/api-fixture.ts'
import { addApiKey } from '../credentials/credential-store.ts'
import { addNewsletterRow } from '../newsletters/organization-newsletter-store.ts'

const fixture = apiOfThisFile()

interface Sender {
  readonly organizationId: string
  readonly slug: string
  readonly key: string
  readonly person: PersonLogin
}

let sender: Sender
let senderCount = 0
beforeEach(async () => {
  sender = await newSender()
})

async function newSender(): Promise<Sender> {
  senderCount += 1
  const tenant = await fixture().tenant(`Sender ${senderCount}`)
  const { organizationId } = tenant
  const slug = `emails-${senderCount}`
  const newsletter = { slug, name: 'Emails', from_address: 'hello@sender.test' }
  await addNewsletterRow(fixture().pool, organizationId, { ...newsletter, confirm_signups: false })
  const { value: key } = await addApiKey(fixture().pool, { organizationId, label: 'test' })
  return { organizationId, slug, key, person: await fixture().login(tenant) }
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const all = { authorization: `Bearer ${sender.key}`, ...headers }
  return fixture().call(`/api/v1${path}`, { method: 'POST', body, headers: all })
}

function email(parts: Record<string, unknown> = {}): Record<string, unknown> {
  const { slug: newsletter } = sender
  return { newsletter, to: 'ada@example.test', subject: 'Hello', markdown: 'Hi', ...parts }
}

const send = (parts: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  post('/send', email(parts), headers)

const bounce = (type: string, headers: Record<string, string> = {}) =>
  post('/bounces', { email: 'Ada@Example.test', type, source: 'relay' }, headers)

async function storedSends(): Promise<Record<string, unknown>[]> {
  const { rows } = await fixture().pool.query(
    'select * from sends where organization_id = $1 order by id',
    [sender.organizationId],
  )
  return rows
}

test('an email is stored before the answer, with the sender of its newsletter', async () => {
  await fixture().pool.query(
    `update newsletters set from_name = 'The News', reply_to = 'desk@sender.test' where slug = $1`,
    [sender.slug],
  )
  const answer = await send({
    to: ' Ada@Example.test ',
    subject: 'Order {{attr.order}}',
    markdown: 'Dear {{name | customer}}, **{{attr.order}}** <{{attr.missing}}>',
    name: 'Ada <b>',
    data: { order: 'A&17', total: 3.5 },
  })
  expect(answer).toMatchObject({ status: 200, body: { status: 'queued' } })
  const [stored, ...others] = await storedSends()
  expect(others).toEqual([])
  expect(stored).toMatchObject({
    id: answer.body.id,
    kind: 'transactional',
    priority: 1,
    state: 'queued',
    from_address: 'hello@sender.test',
    from_name: 'The News',
    reply_to: 'desk@sender.test',
    to_address: 'Ada@example.test',
    to_name: 'Ada <b>',
    subject: 'Order A&17',
    headers: {},
  })
  expect(stored?.['html']).toContain('Dear Ada &lt;b&gt;, <strong')
  expect(stored?.['text']).toContain('Dear Ada <b>, A&17')
  expect(JSON.stringify(stored)).not.toMatch(/unsubscribe|\/o\/|\/c\//i)
})

// biome-ignore format: the columns are the point
const refusals: [why: string, parts: Record<string, unknown>, status: number, code: string, field: string | undefined][] = [
  ['no such newsletter',         { newsletter: 'nobody' },                  404, 'newsletter_not_found', undefined],
  ['not an address',             { to: 'ada' },                             400, 'validation_failed', 'to'],
  ['two addresses',              { to: 'a@b.test, c@d.test' },              400, 'validation_failed', 'to'],
  ['a line break in it',         { to: 'a@b.test\r\nBcc: c@d.test' },       400, 'validation_failed', 'to'],
  ['no subject',                 { subject: undefined },                    400, 'validation_failed', 'subject'],
  ['a blank subject',            { subject: ' \n ' },                       400, 'validation_failed', 'subject'],
  ['a long subject',             { subject: 'x'.repeat(256) },              400, 'validation_failed', 'subject'],
  ['a long preview text',        { previewText: 'x'.repeat(256) },          400, 'validation_failed', 'previewText'],
  ['neither html nor markdown',  { markdown: ' ' },                         400, 'validation_failed', 'html'],
  ['both',                       { html: '<p>Hi' },                         400, 'validation_failed', 'html'],
  ['html of the wrong type',     { markdown: null, html: 7 },               400, 'validation_failed', 'html'],
  ['data that is no object',     { data: [1] },                             400, 'validation_failed', 'data'],
  ['an object as a value',       { data: { a: {} } },                       400, 'validation_failed', 'data.a'],
  ['a key that none can name',   { data: { 'a b': 1 } },                    400, 'validation_failed', 'data.a b'],
  ['a name of the wrong type',   { name: 7 },                               400, 'validation_failed', 'name'],
  ['NUL',                        { markdown: 'a\0b' },                      400, 'validation_failed', 'markdown'],
  ['more than a megabyte',       { markdown: 'x'.repeat(1_048_577) },       400, 'validation_failed', 'markdown'],
  ['more than two',              { markdown: 'x'.repeat(2_097_152) },       413, 'body_too_large', undefined],
]

test.each(refusals)('refused: %s', async (_why, parts, status, code, field) => {
  const answer = await send(parts)
  const headers = { 'ratelimit-remaining': '600' }
  expect(answer).toMatchObject({ status, headers, body: { code } })
  if (field !== undefined) expect(answer.body.details[0].field).toBe(field)
  expect(await storedSends()).toEqual([])
})

test('an unknown field is refused, blank values are not', async () => {
  const answer = await send({
    html: '  ',
    previewText: '',
    name: ' ',
    data: null,
  })
  expect(answer.status).toBe(200)
  const refused = await send({ preview_text: 'Soon' })
  expect([refused.status, refused.body.error]).toEqual([
    400,
    '`preview_text`: unknown field. Did you mean `previewText`?',
  ])
})

test('subjects and names stay one line for every value', async () => {
  const evil = 'a\r\nBcc: victim@example.test\r\n\r\nbody'
  await send({ subject: `Hi {{attr.evil}}`, name: evil, data: { evil } })
  const [stored] = await storedSends()
  expect(`${stored?.['subject']}${stored?.['to_name']}`).not.toMatch(/[\r\n]/)
})

test('a suppressed address gets 409 with the cause, which does not use up the rate limit', async () => {
  await bounce('hard')
  const answer = await send()
  expect(answer).toMatchObject({
    status: 409,
    headers: { 'ratelimit-limit': '600', 'ratelimit-remaining': '600' },
    body: { code: 'suppressed', details: [{ field: 'to', rule: 'is suppressed: hard' }] },
  })
  expect((await send({ to: 'other@example.test' })).headers['ratelimit-remaining']).toBe('599')
  expect(await storedSends()).toHaveLength(1)
})

test('unsubscribed contacts and blocked domains do not stop a transactional email', async () => {
  const { organizationId, slug } = sender
  await post('/contacts', { newsletter: slug, email: 'ada@example.test' })
  await fixture().pool.query(
    `update contacts set status = 'unsubscribed' where organization_id = $1`,
    [organizationId],
  )
  await fixture().pool.query('insert into blocked_domains values ($1, $2)', [
    organizationId,
    'example.test',
  ])
  expect((await send()).status).toBe(200)
})

test('the 601st email within an hour is refused with the time to wait', async () => {
  const startMs = fixture().time.nowMs
  await fixture().pool.query(
    `insert into rate_windows select $1, array_agg($2::timestamptz order by n), $2::timestamptz + interval '1 hour'
       from generate_series(1, 599) n`,
    [`sends:${sender.organizationId}`, new Date(startMs)],
  )
  expect((await send()).headers).toMatchObject({ 'ratelimit-remaining': '0' })
  fixture().time.nowMs = startMs + 60_000
  const answer = await send()
  fixture().time.nowMs = startMs
  expect(answer).toMatchObject({
    status: 429,
    headers: { 'retry-after': '3540', 'ratelimit-reset': '3540' },
    body: { code: 'rate_limited' },
  })
  expect(await storedSends()).toHaveLength(1)
})

test('a repeated key sends once and returns the same reply', async () => {
  const key = { 'idempotency-key': 'order 17' }
  const first = await send({ data: { a: 1, b: 2 } }, key)
  const again = await send({ data: { b: 2, a: 1 } }, key)
  expect(again.body).toEqual(first.body)
  expect(first.headers['idempotent-replayed']).toBeUndefined()
  expect(again.headers).toMatchObject({
    'idempotent-replayed': 'true',
    'ratelimit-remaining': '599',
    'ratelimit-reset': '3600',
  })
  expect(await storedSends()).toHaveLength(1)
  const other = await send({ subject: 'Other' }, key)
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
  expect((await send({}, { 'idempotency-key': 'order 18' })).body.id).not.toBe(first.body.id)
})

test('an idempotency key belongs to one API key and one route, and expires after a day', async () => {
  const key = { 'idempotency-key': 'k' }
  const first = await send({}, key)
  expect((await bounce('soft', key)).status).toBe(200)
  const { organizationId } = sender
  const { value } = await addApiKey(fixture().pool, { organizationId, label: 'two' })
  const authorization = `bearer  ${value}`
  expect((await send({}, { ...key, authorization })).body.id).not.toBe(first.body.id)
  const startMs = fixture().time.nowMs
  fixture().time.nowMs = startMs + 24 * 3_600_000
  const later = await send({}, key)
  fixture().time.nowMs = startMs
  expect(later.status).toBe(200)
  expect(later.body.id).not.toBe(first.body.id)
})

test('a refused request releases its key', async () => {
  const key = { 'idempotency-key': 'k' }
  await bounce('hard')
  expect((await send({}, key)).status).toBe(409)
  const lifted = `select lift_suppression(id, 'test', 'dashboard', now()) from addresses where organization_id = $1`
  await fixture().pool.query(lifted, [sender.organizationId])
  expect((await send({}, key)).status).toBe(200)
})

test('while the first request runs, the second is asked to wait', async () => {
  const key = { 'idempotency-key': 'slow' }
  const holder = await fixture().pool.connect()
  // A lock on the rate window keeps the first request in its transaction.
  await holder.query('begin')
  await holder.query('insert into rate_windows values ($1, $2, now())', [
    `sends:${sender.organizationId}`,
    [],
  ])
  const both = [send({}, key), send({}, key)]
  const refused = await Promise.race(both)
  await holder.query('rollback')
  holder.release()
  expect(refused).toMatchObject({
    status: 409,
    headers: { 'retry-after': '1' },
    body: { code: 'idempotency_in_progress' },
  })
  const statuses = (await Promise.all(both)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 409])
  expect(await storedSends()).toHaveLength(1)
})

test.each(['', 'x'.repeat(256), 'caf\u00e9'])('%j is no Idempotency-Key', async (value) => {
  const answer = await send({}, { 'idempotency-key': value })
  expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'Idempotency-Key' }] } })
})

test('the status of an email is visible to its own organization only', async () => {
  const { id } = (await send()).body
  const authorization = `Bearer ${sender.key}`
  const own = await fixture().call(`/api/v1/send/${id}`, { headers: { authorization } })
  expect(own).toMatchObject({ status: 200, body: { id, status: 'queued', sentAt: null } })
  const listed = await fixture().call('/api/v1/admin/email/sends?query=ADA', {
    login: sender.person,
  })
  expect(listed.body.items).toMatchObject([{ id, kind: 'transactional', attempts: 0 }])
  expect(
    (await fixture().call(`/api/v1/admin/email/sends/${id}`, { login: sender.person })).status,
  ).toBe(200)

  sender = await newSender()
  const theirs = { authorization: `Bearer ${sender.key}` }
  expect((await fixture().call(`/api/v1/send/${id}`, { headers: theirs })).status).toBe(404)
  expect(
    (await fixture().call(`/api/v1/admin/email/sends/${id}`, { login: sender.person })).status,
  ).toBe(404)
  const none = await fixture().call('/api/v1/admin/email/sends', { login: sender.person })
  expect(none.body).toEqual({ items: [], next_cursor: null })
})

test('the log continues after a page, and can be filtered', async () => {
  for (const to of ['a@x.test', 'b@x.test', 'c@x.test']) await send({ to })
  await fixture().pool.query(`update sends set state = 'claimed' where to_address = 'b@x.test'`)
  const list = (query: string) =>
    fixture().call(`/api/v1/admin/email/sends?${query}`, { login: sender.person })
  const one = await list('limit=2')
  const two = await list(`limit=2&cursor=${one.body.next_cursor}`)
  const seen = [...one.body.items, ...two.body.items].map(({ to }) => to)
  expect(seen).toEqual(['c@x.test', 'b@x.test', 'a@x.test'])
  expect(two.body.next_cursor).toBeNull()
  expect((await list('status=sending')).body.items).toMatchObject([{ to: 'b@x.test' }])
  expect((await list('kind=welcome')).body.items).toEqual([])
})

test('bounces: an address that was never a contact counts too, in any spelling', async () => {
  expect(await bounce('soft')).toMatchObject({
    status: 200,
    body: { email: 'Ada@example.test', suppressed: false, softBounces: 1 },
  })
  const key = { 'idempotency-key': 'delivered twice' }
  expect((await bounce('soft', key)).body.softBounces).toBe(2)
  expect((await bounce('soft', key)).body.softBounces).toBe(2)
  expect((await bounce('soft')).body).toMatchObject({ suppressed: true, softBounces: 3 })
  expect((await bounce('complaint')).body).toMatchObject({ suppressed: true })
  const listed = await fixture().call('/api/v1/admin/email/bounces?limit=2', {
    login: sender.person,
  })
  expect(listed.body.items).toMatchObject([
    { type: 'complaint', email: 'Ada@example.test', counted: true, source: 'relay' },
    { type: 'soft', counted: true },
  ])
  const rest = `/api/v1/admin/email/bounces?cursor=${listed.body.next_cursor}`
  expect((await fixture().call(rest, { login: sender.person })).body.items).toHaveLength(2)
})

// biome-ignore format: the columns are the point
const badReports: [why: string, body: Record<string, unknown>, field: string][] = [
  ['no address',         { type: 'hard' },                       'email'],
  ['a broken address',   { type: 'hard', email: 'a@b@c.test' },  'email'],
  ['no type',            { email: 'a@b.test' },                  'type'],
  ['an unknown type',    { email: 'a@b.test', type: 'blocked' }, 'type'],
  ['a long source',      { email: 'a@b.test', type: 'hard', source: 'x'.repeat(201) }, 'source'],
]

test.each(badReports)('a report is refused: %s', async (_why, body, field) => {
  const answer = await post('/bounces', body)
  expect(answer).toMatchObject({ status: 400, body: { details: [{ field }] } })
})

test('a bounce of one organization does not affect another one', async () => {
  await bounce('hard')
  sender = await newSender()
  expect((await send()).status).toBe(200)
})

test.each(Object.entries(unsupportedSendFields))(
  'the field %s is refused, and so nothing is sent that lacks it',
  async (field, rule) => {
    const answer = await send({ [field]: ['x@example.test'] })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', details: [{ field, rule }] },
    })
    expect(await storedSends()).toEqual([])
  },
)

test('any other unknown field is refused by its name', async () => {
  const answer = await send({ subjetc: 'x' })
  expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'subjetc' }] } })
})

test.each(['subject', 'previewText', 'markdown'])(
  'an unknown placeholder in %s is refused unless it is allowed',
  async (field) => {
    const parts = { [field]: 'Hi {{firstname}} and {{name}}' }
    const answer = await send(parts)
    expect(answer).toMatchObject({ status: 400, body: { code: 'unknown_placeholder' } })
    expect(answer.body.details).toEqual([
      { field, rule: expect.stringContaining('{{firstname}}, which is no placeholder') },
    ])
    expect((await send({ ...parts, allowUnknown: true })).status).toBe(200)
  },
)
