import { createHmac } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'
import { formatBounceSender, formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import {
  type Answer,
  apiOfThisFile,
  type PersonLogin,
  type Tenant,
} from '../../test/fixtures/api-fixture.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import { addNewsletterRow } from '../newsletters/organization-newsletter-store.ts'
import { addSend } from '../sends/send-store.ts'

const fixture = apiOfThisFile()
let tenant: Tenant
let owner: PersonLogin
let tenantCount = 0
beforeEach(async () => {
  tenantCount += 1
  tenant = await fixture().tenant(`Suppressions ${tenantCount}`)
  owner = await fixture().login(tenant)
})

const admin = '/api/v1/admin/email'

function get(path: string, login = owner): Promise<Answer> {
  return fixture().call(`${admin}${path}`, { login })
}

function post(path: string, body: unknown, login = owner): Promise<Answer> {
  return fixture().call(`${admin}${path}`, { method: 'POST', body, login })
}

async function actions(): Promise<string[]> {
  const { rows } = await fixture().pool.query(
    'select action from audit_log where organization_id = $1 order by id',
    [tenant.organizationId],
  )
  return rows.map(({ action }) => action)
}

async function hookOf(adapter: string, settings: object = {}): Promise<string> {
  const made = await post('/bounce-adapters', { adapter, label: 'test', settings })
  expect(made.status).toBe(201)
  return new URL(made.body.url).pathname
}

function send(path: string, body: string | object, headers: Record<string, string> = {}) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const all = { 'content-type': 'text/plain', ...headers }
  return fixture().call(path, { method: 'POST', body: payload, headers: all })
}

const basic = { authorization: `Basic ${Buffer.from('hook:long enough').toString('base64')}` }
const postmark = { username: 'hook', password: 'long enough' }
const hardBounce = { RecordType: 'Bounce', Type: 'HardBounce', ID: 1, Email: 'ada@example.test' }

test('a webhook is created once, shown once, and rejected after it was deleted', async () => {
  const path = await hookOf('postmark', postmark)
  expect(await send(path, hardBounce, basic)).toMatchObject({
    status: 200,
    body: { events: 1, recorded: 1 },
  })
  expect(await send(path, hardBounce, basic)).toMatchObject({
    status: 200,
    body: { events: 1, recorded: 0 },
  })
  expect((await send(path, { RecordType: 'Open' }, basic)).body).toEqual({ events: 0, recorded: 0 })
  expect((await send(path, hardBounce)).status).toBe(401)
  expect((await send(path, 'no json', basic)).status).toBe(400)
  expect((await send(path, 'x'.repeat(1_048_577), basic)).status).toBe(413)
  expect((await send(path.replace('/postmark/', '/ses/'), hardBounce, basic)).status).toBe(404)
  expect((await send(`${path.slice(0, -1)}!`, hardBounce, basic)).status).toBe(404)
  expect((await get('/suppressions')).body.items).toMatchObject([
    { cause: 'hard', source: 'postmark' },
  ])

  const { items } = (await get('/bounce-adapters')).body
  expect(items).toMatchObject([{ adapter: 'postmark', label: 'test' }])
  expect(items[0].lastUsedAt).not.toBeNull()
  expect(JSON.stringify(items)).not.toContain('long enough')
  const removed = { method: 'DELETE', login: owner } as const
  expect((await fixture().call(`${admin}/bounce-adapters/${items[0].id}`, removed)).status).toBe(
    204,
  )
  expect((await send(path, hardBounce, basic)).status).toBe(404)
})

test.each([
  ['ses', { topicArn: 'arn:aws:s3:::bucket' }, 'settings.topicArn'],
  ['postmark', { username: 'x' }, 'settings.password'],
  ['mailgun', {}, 'settings.signingKey'],
  ['sendgrid', { publicKey: 'A'.repeat(120) }, 'settings.publicKey'],
  ['resend', { signingSecret: 'secret' }, 'settings.signingSecret'],
])('a webhook of %s needs its credentials', async (adapter, settings, field) => {
  const answer = await post('/bounce-adapters', { adapter, settings })
  expect(answer).toMatchObject({ status: 400, body: { details: [{ field }] } })
})

test('only owners create webhooks', async () => {
  const member = await fixture().login(tenant, 'member')
  const body = { adapter: 'message', settings: {} }
  expect((await post('/bounce-adapters', body, member)).status).toBe(403)
})

test('a Mailgun token is used up when its events are recorded', async () => {
  const path = await hookOf('mailgun', { signingKey: 'key-of-mailgun' })
  const timestamp = String(fixture().time.nowMs / 1000)
  const signature = createHmac('sha256', 'key-of-mailgun').update(`${timestamp}t`).digest('hex')
  const data = { event: 'complained', recipient: 'ada@example.test', id: 'e1' }
  const body = (parts: object = {}) => ({
    signature: { timestamp, token: 't', signature },
    'event-data': { ...data, ...parts },
  })
  expect((await send(path, body())).status).toBe(200)
  expect((await send(path, body({ recipient: 'victim@example.test', id: 'e2' }))).status).toBe(401)
})

test('policy rejections and provider lists are shown, but neither suppress nor count', async () => {
  const settings = { username: 'hook', password: 'long enough' }
  const hook = await post('/bounce-adapters', { adapter: 'postmark', settings })
  const url = new URL(hook.body.url).pathname
  const authorization = `Basic ${Buffer.from('hook:long enough').toString('base64')}`
  const tell = (ID: number, Type: string, Details: string) =>
    fixture().call(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: { RecordType: 'Bounce', Email: 'ada@example.test', ID, Type, Details },
    })
  const details = [
    ['HardBounce', 'smtp;550 5.7.1 refused by policy'],
    ['HardBounce', 'smtp;554 5.4.14 Hop count exceeded'],
    ['SoftBounce', 'smtp;552 5.3.4 too big'],
    ['ManuallyDeactivated', ''],
    ['SoftBounce', 'smtp;451 4.7.1 greylisted'],
  ] as const
  for (const [no, [type, text]] of details.entries()) {
    expect((await tell(no, type, text)).status).toBe(200)
  }
  const { body } = await get('/bounces')
  expect(body.items.map((item: { cause: string }) => item.cause)).toEqual([
    'provider_list',
    'size',
    'routing',
    'policy',
  ])
  expect(body.items.every((item: { counted: boolean }) => !item.counted)).toBe(true)
  expect((await get('/bounces?cause=size')).body.items).toHaveLength(1)
  expect((await get('/suppressions')).body.items).toEqual([])
  const { rows } = await fixture().pool.query(
    'select soft_run from addresses where organization_id = $1',
    [tenant.organizationId],
  )
  expect(rows).toEqual([{ soft_run: 0 }])
  await tell(9, 'HardBounce', 'smtp;550 5.1.1 user unknown')
  expect((await get('/suppressions')).body.items).toMatchObject([
    { email: 'ada@example.test', cause: 'hard', source: 'postmark' },
  ])
})

test('an unsubscribe at the provider changes the contact of the newsletter it names', async () => {
  const settings = { signingKey: 'key-of-mailgun' }
  const hook = await post('/bounce-adapters', { adapter: 'mailgun', settings })
  const url = new URL(hook.body.url).pathname
  const { pool } = fixture()
  const { pg, clock } = fixture().ctx
  const { organizationId } = tenant
  const email = 'ada@example.test'
  const address = await ensureAddress(pg, { organizationId, email, key: email })
  const newsletterIds = [uuidv7(), uuidv7()]
  for (const id of newsletterIds) {
    await pool.query(
      `insert into newsletters (id, organization_id, slug, name, from_address)
         values ($1, $2, $3, 'News', 'news@sender.test')`,
      [id, organizationId, `n${id}`],
    )
    await pool.query(
      `insert into contacts (id, organization_id, newsletter_id, address_id, status)
         values ($1, $2, $3, $4, 'subscribed')`,
      [uuidv7(), organizationId, id, address.id],
    )
  }
  const send = await addSend(pg, {
    organizationId,
    newsletterId: newsletterIds[0]!,
    addressId: address.id,
    kind: 'transactional',
    from: { address: 'news@sender.test', name: null },
    replyTo: null,
    to: { address: email, name: null },
    subject: 's',
    html: null,
    text: 't',
  })
  const tell = (token: string, messageId: string) => {
    const timestamp = String(Math.floor(clock.nowMs() / 1000))
    const hmac = createHmac('sha256', settings.signingKey).update(`${timestamp}${token}`)
    const message = { headers: { 'message-id': messageId } }
    return fixture().call(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: {
        signature: { timestamp, token, signature: hmac.digest('hex') },
        'event-data': { event: 'unsubscribed', recipient: email, id: token, message },
      },
    })
  }
  const statuses = async () => {
    const { rows } = await pool.query(
      'select newsletter_id, status from contacts where address_id = $1',
      [address.id],
    )
    const byId = new Map(rows.map((row) => [row.newsletter_id, row.status]))
    return newsletterIds.map((id) => byId.get(id))
  }
  const ref = formatEmailRef({ kind: 'send', sendId: send.id })
  expect((await tell('t1', `${ref}@sender.test`)).status).toBe(200)
  expect(await statuses()).toEqual(['unsubscribed', 'subscribed'])
  expect((await tell('t2', 'theirs@elsewhere.test')).status).toBe(200)
  expect(await statuses()).toEqual(['unsubscribed', 'unsubscribed'])
  expect((await get('/suppressions')).body.items).toEqual([])
})

test('a delivery resets the soft bounces, unless it is older than the last one', async () => {
  const path = await hookOf('postmark', postmark)
  const soft = (id: number) => ({ ...hardBounce, Type: 'SoftBounce', ID: id })
  const delivered = (at: number) => ({
    RecordType: 'Delivery',
    Recipient: 'ADA@example.test',
    DeliveredAt: new Date(at).toISOString(),
  })
  const startMs = fixture().time.nowMs
  await send(path, soft(1), basic)
  await send(path, soft(2), basic)
  fixture().time.nowMs = startMs + 10_000
  await send(path, delivered(startMs - 5_000), basic)
  const runOf = async () => {
    const { rows } = await fixture().pool.query(
      'select soft_run from addresses where organization_id = $1',
      [tenant.organizationId],
    )
    return rows[0].soft_run
  }
  expect(await runOf()).toBe(2)
  await send(path, delivered(startMs + 5_000), basic)
  expect(await runOf()).toBe(0)
})

test('a bounce message counts for the recipient of the email and settles an uncertain delivery', async () => {
  const path = await hookOf('message')
  const { organizationId } = tenant
  const address = { organizationId, email: 'ada@example.test', key: 'ada@example.test' }
  const { id: addressId } = await ensureAddress(fixture().ctx.pg, address)
  const { id: sendId } = await addSend(fixture().ctx.pg, {
    organizationId,
    addressId,
    kind: 'transactional',
    subject: 'x',
    text: 'x',
    from: { address: 'hello@sender.test' },
    to: { address: 'ada@example.test' },
  })
  await fixture().pool.query(`update sends set state = 'uncertain' where id = $1`, [sendId])
  const verp = formatBounceSender({ kind: 'send', sendId })
  const report = (to: string, id: string) => `To: ${to}\r
Message-ID: <${id}@relay.test>\r
Content-Type: multipart/report; boundary=b\r
\r
--b\r
Content-Type: message/delivery-status\r
\r
Reporting-MTA: dns; relay.test\r
\r
Final-Recipient: rfc822; forwarded@elsewhere.test\r
Action: failed\r
Status: 5.1.1\r
--b--\r
`
  expect((await send(path, report(`${verp}@bounces.sender.test`, '1'))).body).toEqual({
    events: 1,
    recorded: 1,
  })
  const stored = await fixture().pool.query('select state, reason from sends where id = $1', [
    sendId,
  ])
  expect(stored.rows).toEqual([{ state: 'sent', reason: 'reported' }])
  const strangers = formatEmailRef({ kind: 'send', sendId: uuidv7() })
  await send(path, report(`b+${strangers}@bounces.sender.test`, '2'))
  const emails = (await get('/suppressions')).body.items.map(
    ({ email }: { email: string }) => email,
  )
  expect(emails.sort()).toEqual(['ada@example.test', 'forwarded@elsewhere.test'])
  expect((await send(path, 'Subject: away\r\n\r\nI am on holiday')).body).toEqual({
    events: 0,
    recorded: 0,
  })
})

test('a bounce is counted for its campaign, and an uncertain delivery becomes sent', async () => {
  const path = await hookOf('message')
  const { organizationId } = tenant
  const { id: newsletterId } = await addNewsletterRow(fixture().pool, organizationId, {
    slug: `s${tenantCount}`,
    name: 'N',
    from_address: 'n@sender.test',
    confirm_signups: false,
  })
  const [campaignId, contactId] = [uuidv7(), uuidv7()]
  const { id: addressId } = await ensureAddress(fixture().ctx.pg, {
    organizationId,
    email: 'ada@example.test',
    key: 'ada@example.test',
  })
  await fixture().pool.query(
    `with c as (insert into campaigns (id, organization_id, newsletter_id, state, subject, archive_slug)
       values ($1, $2, $3, 'sending', 'x', 'x') returning id),
     d as (insert into deliveries (campaign_id, contact_id, address_id, state) select id, $4, $5, 'uncertain' from c)
     insert into campaign_counts (campaign_id, audience, uncertain) select id, 1, 1 from c`,
    [campaignId, organizationId, newsletterId, contactId, addressId],
  )
  const ref = formatEmailRef({ kind: 'delivery', campaignId, contactId })
  const complaint = `Message-ID: <c1@fbl.test>\nContent-Type: multipart/report; boundary=b\n
--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n
--b\nContent-Type: message/rfc822\n\nMessage-ID: <${ref}@sender.test>\n\nHi\n--b--\n`
  for (const times of [1, 0]) {
    expect((await send(path, complaint)).body).toEqual({ events: 1, recorded: times })
  }
  const { rows } = await fixture().pool.query(
    'select sent::int, uncertain::int, complained::int, bounced::int from campaign_counts where campaign_id = $1',
    [campaignId],
  )
  expect(rows).toEqual([{ sent: 1, uncertain: 0, complained: 1, bounced: 0 }])
  expect((await get('/suppressions')).body.items).toMatchObject([
    { cause: 'complaint', campaignId },
  ])
})

test('a sending domain has a key that only this installation can decrypt, and DNS records', async () => {
  const made = await post('/domains', { domain: 'München.example' })
  expect(made).toMatchObject({
    status: 201,
    body: { domain: 'xn--mnchen-3ya.example', selector: 'sluice', ready: false, checks: null },
  })
  expect((await post('/domains', { domain: 'xn--mnchen-3ya.example' })).status).toBe(409)
  for (const bounceDomain of ['other.example', 'localhost']) {
    expect((await post('/domains', { domain: 'a.example', bounceDomain })).status).toBe(400)
  }
  const { id, records } = made.body
  const { rows } = await fixture().pool.query(
    'select sealed_key from sending_domains where id = $1',
    [id],
  )
  const pem = fixture().ctx.box.open('dkim', id, rows[0].sealed_key)
  expect(pem).toContain('BEGIN PRIVATE KEY')
  expect(records.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual([
    '_sluice.xn--mnchen-3ya.example',
    'sluice._domainkey.xn--mnchen-3ya.example',
  ])
  const checked = await post(`/domains/${id}/check`, undefined)
  expect(checked.body.checks.map(({ state }: { state: string }) => state)).toEqual(
    Array(5).fill('missing'),
  )
  expect((await get('/domains')).body.items[0].checkedAt).not.toBeNull()
  const other = await fixture().login(await fixture().tenant(`Stranger ${tenantCount}`))
  expect((await get(`/domains/${id}`, other)).status).toBe(404)
  const removed = { method: 'DELETE', login: owner } as const
  expect((await fixture().call(`${admin}/domains/${id}`, removed)).status).toBe(204)
  expect(await actions()).toEqual(['sending_domain.created', 'sending_domain.removed'])
})
