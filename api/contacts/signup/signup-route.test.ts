import { expect, test } from 'vitest'
import { apiOfThisFile, fixtureNowMs } from '../../../test/fixtures/api-fixture.ts'
import {
  callEmail,
  confirmPathTo,
  emailsTo,
  type MailTenant,
  mailTenant,
} from '../../../test/fixtures/email-fixture.ts'
import { addBlockedDomain } from '../blocked-domains/blocked-domain-store.ts'

const api = apiOfThisFile()
const minuteMs = 60_000

const signUp = (tenant: MailTenant, body: object) =>
  callEmail(api(), tenant, '/contacts', { method: 'POST', body })

async function statusOf(id: string): Promise<string> {
  const { rows } = await api().pool.query('select status from contacts where id = $1', [id])
  return rows[0]?.status
}

const suppress = (email: string, cause: string) =>
  api().pool.query(
    'update addresses set suppressed_at = now(), suppression_cause = $2 where email_key = $1',
    [email, cause],
  )

test('a new contact of a newsletter with double opt-in is pending and gets a confirmation email', async () => {
  const tenant = await mailTenant(api())
  const reply = await signUp(tenant, {
    newsletter: tenant.confirming,
    email: ' Ada@Gmail.com ',
    name: 'Ada',
    ip: '203.0.113.9',
    unknown: 'ignored',
  })
  expect(reply.status).toBe(201)
  expect(reply.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    status: 'pending',
    created: true,
    inbox: expect.stringContaining('https://mail.google.com/mail/u/Ada%40gmail.com/'),
  })
  expect(reply.headers).toMatchObject({
    'ratelimit-limit': '5',
    'ratelimit-remaining': '4',
    'ratelimit-reset': '600',
  })
  const [email, ...others] = await emailsTo(api(), 'Ada@gmail.com')
  expect(others).toEqual([])
  expect(email).toMatchObject({
    kind: 'confirmation',
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
  expect(email!.subject).toBe('Please confirm your subscription to Weekly <News>')
  expect(email!.html).toContain('Weekly &lt;News&gt;')
  expect(email!.text).toMatch(/\nhttp:\/\/127\.0\.0\.1:8031\/confirm\/[A-Za-z0-9_-]{43}\n/)
  // The email must not show a stranger what was typed into the form, or where.
  expect(email!.text + email!.html).not.toMatch(/203\.0\.113\.9|Ada[^@]/)
})

test('a newsletter without double opt-in subscribes at once, and an existing contact is 200', async () => {
  const tenant = await mailTenant(api())
  const body = { newsletter: tenant.direct, email: 'bob@example.com' }
  const first = await signUp(tenant, {
    ...body,
    name: 'Bob',
    attribs: { city: 'Rome', n: 1 },
    source: 'a',
  })
  const again = await signUp(tenant, {
    ...body,
    name: ' ',
    attribs: { n: 2, city: null, x: true },
    source: 'b',
  })
  expect([first.status, again.status]).toEqual([201, 200])
  expect(first.body).toEqual({ id: again.body.id, status: 'subscribed', created: true })
  expect(again.body.created).toBe(false)
  const { rows } = await api().pool.query(
    'select name, attribs, source from contacts where id = $1',
    [first.body.id],
  )
  expect(rows[0]).toEqual({ name: 'Bob', attribs: { n: 2, x: true }, source: 'a' })
  const { rows: events } = await api().pool.query(
    'select kind, source from contact_events where contact_id = $1 order by id',
    [first.body.id],
  )
  expect(events).toEqual([
    { kind: 'created', source: 'a' },
    { kind: 'signed_up_again', source: 'b' },
  ])
  expect(await emailsTo(api(), 'bob@example.com')).toEqual([])
})

test('each row of the table of states, twice', async () => {
  const tenant = await mailTenant(api())
  // biome-ignore format: the columns are the point
  const rows = [
    // before, cause of suppression, confirms, resubscribe, after, status code
    ['unsubscribed', null, true, false, 'unsubscribed', 200],
    ['unsubscribed', null, true, true, 'pending', 200],
    ['unsubscribed', null, false, true, 'subscribed', 200],
    ['subscribed', null, true, true, 'subscribed', 200],
    ['bounced', 'hard', false, true, 'bounced', 200],
    ['bounced', 'soft_run', true, true, 'bounced', 200],
    ['complained', 'complaint', false, true, 'complained', 200],
    [null, 'hard', false, false, 'bounced', 201],
    [null, 'manual', true, false, 'bounced', 201],
    [null, 'complaint', true, true, 'complained', 201],
  ] as const
  for (const [index, [before, cause, confirms, resubscribe, after, code]] of rows.entries()) {
    const email = `row-${index}@example.com`
    const newsletter = confirms ? tenant.confirming : tenant.direct
    const other = confirms ? tenant.direct : tenant.confirming
    // A suppression belongs to the address, so it may come from another newsletter.
    const { body } = await signUp(tenant, {
      newsletter: before === null ? other : newsletter,
      email,
    })
    if (cause !== null) await suppress(email, cause)
    if (before !== null) {
      await api().pool.query('update contacts set status = $2 where id = $1', [body.id, before])
    }
    const emailsBefore = (await emailsTo(api(), email)).length
    const replies = [
      await signUp(tenant, { newsletter, email, resubscribe }),
      await signUp(tenant, { newsletter, email, resubscribe }),
    ]
    const name = JSON.stringify(rows[index])
    expect(
      replies.map(({ status }) => status),
      name,
    ).toEqual([code, 200])
    expect(
      replies.map((reply) => reply.body.status),
      name,
    ).toEqual([after, after])
    expect(await statusOf(replies[0]!.body.id), name).toBe(after)
    if (cause !== null) expect((await emailsTo(api(), email)).length, name).toBe(emailsBefore)
  }
})

test('a repeated signup sends another confirmation, but none within ten minutes and no fourth in a day', async () => {
  const tenant = await mailTenant(api())
  const body = { newsletter: tenant.confirming, email: 'eager@example.com' }
  const counts: number[] = []
  try {
    for (const minutes of [0, 9, 10, 21, 32, 24 * 60 + 1]) {
      api().time.nowMs = fixtureNowMs + minutes * minuteMs
      await signUp(tenant, body)
      counts.push((await emailsTo(api(), 'eager@example.com')).length)
    }
  } finally {
    api().time.nowMs = fixtureNowMs
  }
  expect(counts).toEqual([1, 1, 2, 3, 3, 4])
})

test('parallel signups create one contact and send one email', async () => {
  const tenant = await mailTenant(api())
  const body = { newsletter: tenant.confirming, email: 'twice@example.com' }
  const replies = await Promise.all(Array.from({ length: 6 }, () => signUp(tenant, body)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
  expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1)
  expect(await emailsTo(api(), 'twice@example.com')).toHaveLength(1)
})

test('a welcome email is sent after subscribing, filled with the contact’s values', async () => {
  const tenant = await mailTenant(api())
  await api().pool.query(
    `update newsletters set welcome_enabled = true, welcome_subject = 'Hello {{name}}', welcome_markdown = 'From {{attr.city | afar}}.'
     where organization_id = $1`,
    [tenant.organizationId],
  )
  const name = 'Cleo\r\nBcc: eve@example.com'
  const person = { email: 'cleo@example.com', name, attribs: { city: '<b>Rome</b>' } }
  await signUp(tenant, { newsletter: tenant.direct, ...person })
  const [welcome] = await emailsTo(api(), 'cleo@example.com')
  expect(welcome).toMatchObject({ kind: 'welcome', subject: 'Hello Cleo Bcc: eve@example.com' })
  expect(welcome!.html).toContain('&lt;b&gt;Rome')
  expect(welcome!.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  const path = new URL(welcome!.headers['List-Unsubscribe']!.slice(1, -1)).pathname
  expect((await api().call(path)).status).toBe(200)

  await signUp(tenant, { newsletter: tenant.confirming, email: 'dora@example.com' })
  expect((await emailsTo(api(), 'dora@example.com')).map(({ kind }) => kind)).toEqual([
    'confirmation',
  ])
  const confirm = await confirmPathTo(api(), 'dora@example.com')
  await api().call(confirm, { method: 'POST' })
  expect((await emailsTo(api(), 'dora@example.com')).map(({ kind }) => kind)).toEqual([
    'confirmation',
    'welcome',
  ])
})

// biome-ignore format: the columns are the point
const badBodies: readonly (readonly [string, object | undefined, string, string?])[] = [
  ['no body', undefined, 'validation_failed'],
  ['no newsletter', { email: 'a@b.cd' }, 'validation_failed', 'newsletter'],
  ['a blank newsletter', { newsletter: ' ', email: 'a@b.cd' }, 'validation_failed', 'newsletter'],
  ['no email', { newsletter: 'x' }, 'validation_failed', 'email'],
  ['a number for an email', { newsletter: 'x', email: 1 }, 'validation_failed', 'email'],
  ['an invalid email',      { newsletter: 'x', email: 'ada' }, 'validation_failed', 'email'],
  ['a header in the email', { newsletter: 'x', email: 'a@b.cd\r\nBcc: e@f.gh' }, 'validation_failed', 'email'],
  ['a long name', { newsletter: 'x', email: 'a@b.cd', name: 'n'.repeat(201) }, 'validation_failed', 'name'],
  ['a number for a name', { newsletter: 'x', email: 'a@b.cd', name: 1 }, 'validation_failed', 'name'],
  ['an invalid ip',      { newsletter: 'x', email: 'a@b.cd', ip: 'home' }, 'validation_failed', 'ip'],
  ['a text for resubscribe', { newsletter: 'x', email: 'a@b.cd', resubscribe: 'yes' }, 'validation_failed', 'resubscribe'],
  ['a list of attribs', { newsletter: 'x', email: 'a@b.cd', attribs: [] }, 'validation_failed', 'attribs'],
  ['an object in attribs', { newsletter: 'x', email: 'a@b.cd', attribs: { a: {} } }, 'validation_failed', 'attribs.a'],
  ['a list in attribs', { newsletter: 'x', email: 'a@b.cd', attribs: { a: [1] } }, 'validation_failed', 'attribs.a'],
  ['a key with a dot', { newsletter: 'x', email: 'a@b.cd', attribs: { 'a.b': 1 } }, 'validation_failed', 'attribs.a.b'],
  ['a long key', { newsletter: 'x', email: 'a@b.cd', attribs: { ['k'.repeat(65)]: 1 } }, 'validation_failed'],
  ['a long value', { newsletter: 'x', email: 'a@b.cd', attribs: { a: 'v'.repeat(2_001) } }, 'validation_failed', 'attribs.a'],
  ['a NUL in a value', { newsletter: 'x', email: 'a@b.cd', attribs: { a: 'v\0' } }, 'validation_failed', 'attribs.a'],
  ['half a character', { newsletter: 'x', email: 'a@b.cd', attribs: { a: '\ud800' } }, 'validation_failed', 'attribs.a'],
]
test.each(badBodies)('400 for %s', async (_name, body, code, field) => {
  const tenant = await sharedTenant()
  const reply = await signUp(tenant, body as object)
  expect(reply.status).toBe(400)
  expect(reply.body.code).toBe(code)
  if (field !== undefined) expect(reply.body.details[0].field).toBe(field)
})

test('at most fifty attributes are stored, and a request with more changes nothing', async () => {
  const tenant = await sharedTenant()
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]))
  const body = { newsletter: tenant.direct, email: 'many@example.com' }
  expect((await signUp(tenant, { ...body, attribs: { ...many, one: 1 } })).body.code).toBe(
    'too_many_attribs',
  )
  expect((await signUp(tenant, { ...body, attribs: many })).status).toBe(201)
  const more = await signUp(tenant, { ...body, name: 'New', attribs: { one: 1 } })
  expect([more.status, more.body.code]).toEqual([400, 'too_many_attribs'])
  const { rows } =
    await api().pool.query(`select c.name from contacts c join addresses a on a.id = c.address_id
    where a.email_key = 'many@example.com'`)
  expect(rows).toEqual([{ name: null }])
})

test('a blocked domain and its subdomains are refused in any spelling, similar domains are not', async () => {
  const tenant = await mailTenant(api())
  const { organizationId } = tenant
  for (const domain of ['xn--mnchen-3ya.example', 'blocked.example']) {
    await addBlockedDomain(api().pool, { organizationId, domain, now: new Date(fixtureNowMs) })
  }
  const codes: unknown[] = []
  for (const domain of [
    'blocked.example',
    'a.b.Blocked.Example.',
    'münchen.example',
    'notblocked.example',
  ]) {
    const reply = await signUp(tenant, { newsletter: tenant.direct, email: `ada@${domain}` })
    codes.push(reply.body.code ?? reply.status)
  }
  expect(codes).toEqual(['blocked_domain', 'blocked_domain', 'blocked_domain', 201])
  const other = await mailTenant(api())
  const elsewhere = await signUp(other, { newsletter: other.direct, email: 'ada@blocked.example' })
  expect(elsewhere.status).toBe(201)
})

test('a newsletter of another organization is not found', async () => {
  const [tenant, other] = [await mailTenant(api()), await mailTenant(api())]
  for (const newsletter of [other.direct, 'no-such-newsletter']) {
    const reply = await signUp(tenant, { newsletter, email: 'ada@example.com' })
    expect([reply.status, reply.body.code]).toEqual([404, 'newsletter_not_found'])
  }
})

// biome-ignore format: the columns are the point
test.each([
  ['no key', undefined, 'missing_key'],
  ['an access token', 'Bearer oat_0123456789012345678901234567890123456789012', 'invalid_key'],
  ['an unknown key', `Bearer emk_${'a'.repeat(43)}`, 'invalid_key'],
  ['another scheme', `Basic emk_${'a'.repeat(43)}`, 'invalid_key'],
] as const)('401 for %s', async (_name, authorization, code) => {
  const headers = authorization === undefined ? {} : { authorization }
  const reply = await api().call('/api/v1/contacts', { method: 'POST', body: {}, headers })
  expect([reply.status, reply.body.code]).toEqual([401, code])
  expect(reply.headers['www-authenticate']).toBe('Bearer')
})

let shared: Promise<MailTenant> | undefined

/** One tenant for all calls that change nothing. */
function sharedTenant(): Promise<MailTenant> {
  shared ??= mailTenant(api())
  return shared
}
