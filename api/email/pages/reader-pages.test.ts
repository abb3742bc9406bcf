import { describe, expect, test } from 'vitest'
import { type Answer, apiOfThisFile, fixtureNowMs } from '../../../test/api-fixture.ts'
import {
  callEmail,
  confirmPathTo,
  lettersTo,
  type MailTenant,
  mailTenant,
  readerTokenOf,
} from '../../../test/email-fixture.ts'
import { ensureAddress } from '../../io/address-store.ts'

const api = apiOfThisFile()
const hourMs = 3_600_000
const campaignId = '019ab2c5-0000-7000-8000-0000000000ff'

async function signUp(tenant: MailTenant, newsletter: string, email: string): Promise<string> {
  const body = { newsletter, email, name: 'Ada', attribs: { city: 'Rome' } }
  return (await callEmail(api(), tenant, '/contacts', { method: 'POST', body })).body.id
}

async function contact(id: string) {
  const { rows } = await api().pool.query('select * from contacts where id = $1', [id])
  return rows[0]
}

async function eventsOf(id: string) {
  const { rows } = await api().pool.query(
    'select kind, via, details from contact_events where contact_id = $1 order by at, id',
    [id],
  )
  return rows.map(({ kind, via }) => `${kind} ${via}`)
}

const form = (path: string, fields: Record<string, string> | [string, string][]) =>
  api().app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'a browser' },
    payload: new URLSearchParams(fields).toString(),
  })

async function atLater<T>(ms: number, work: () => Promise<T>): Promise<T> {
  api().time.nowMs = fixtureNowMs + ms
  try {
    return await work()
  } finally {
    api().time.nowMs = fixtureNowMs
  }
}

function expectPage(answer: Answer) {
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
  })
  expect(answer.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  )
  expect(answer.body).not.toContain('<script')
}

test('opening a confirmation changes nothing, its button confirms, and again is as good', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.confirming, 'ada@example.com')
  await api().pool.query(`update addresses set soft_run = 2 where email_key = 'ada@example.com'`)
  const path = await confirmPathTo(api(), 'ada@example.com')
  for (const method of ['GET', 'GET', 'HEAD'] as const) {
    const opened = await api().app.inject({ method, url: path })
    expect(opened.statusCode).toBe(200)
    expect(await contact(id)).toMatchObject({ status: 'pending', confirmed_at: null })
  }
  const page = await api().call(path)
  expectPage(page)
  expect(page.body).toContain('Weekly &lt;News&gt;')
  expect(page.body).toContain('a•••@e•••.com')
  expect(page.body).not.toContain('ada@example.com')

  for (let time = 1; time <= 2; time++) {
    const done = await form(path, { action: 'confirm' })
    expect([done.statusCode, done.body.includes('You are subscribed')]).toEqual([200, true])
  }
  expect(await contact(id)).toMatchObject({
    ...{ status: 'subscribed', confirmed_ip: '127.0.0.1', confirmed_user_agent: 'a browser' },
    confirmed_at: new Date(fixtureNowMs),
  })
  expect(await eventsOf(id)).toEqual(['created signup', 'confirmed confirm_page'])
  const { rows } = await api().pool.query(
    `select soft_run from addresses where email_key = 'ada@example.com'`,
  )
  expect(rows[0].soft_run).toBe(0)
})

test('a link is good for seven days, an older one too, and an expired one asks for a new one once', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.confirming, 'slow@example.com')
  const first = await confirmPathTo(api(), 'slow@example.com')
  await atLater(hourMs, () => signUp(tenant, tenant.confirming, 'slow@example.com'))
  const day = 24 * hourMs
  expect((await atLater(7 * day - 1, () => api().call(first))).body).toContain(
    'Confirm my subscription',
  )
  await atLater(7 * day, async () => {
    expect((await api().call(first)).body).toContain('Send me a new link')
    expect((await form(first, { action: 'confirm' })).body).toContain('Send me a new link')
    expect((await contact(id)).status).toBe('pending')
    expect((await form(first, { action: 'again' })).body).toContain('A new link was sent')
    expect((await form(first, { action: 'again' })).body).toContain('a short while ago')
    expect(await lettersTo(api(), 'slow@example.com')).toHaveLength(3)
    await form(await confirmPathTo(api(), 'slow@example.com'), { action: 'confirm' })
  })
  expect((await contact(id)).status).toBe('subscribed')
})

test('a click does not revive who unsubscribed, bounced or complained meanwhile', async () => {
  const tenant = await mailTenant(api())
  for (const status of ['unsubscribed', 'bounced', 'complained']) {
    const id = await signUp(tenant, tenant.confirming, `${status}@example.com`)
    await api().pool.query('update contacts set status = $2 where id = $1', [id, status])
    const done = await form(await confirmPathTo(api(), `${status}@example.com`), {
      action: 'confirm',
    })
    expect(done.body).toContain('nothing to confirm')
    expect((await contact(id)).status).toBe(status)
  }
})

test('after confirming, the newsletter may lead to a page of its own, and to no other', async () => {
  const tenant = await mailTenant(api())
  await api().pool.query(
    `update newsletters set confirm_redirect_url = 'https://acme.test/welcome' where slug = $1`,
    [tenant.confirming],
  )
  await signUp(tenant, tenant.confirming, 'led@example.com')
  const path = await confirmPathTo(api(), 'led@example.com')
  const page = await api().call(`${path}?next=https://evil.test`)
  expect(page.headers['content-security-policy']).toContain("form-action 'self' https://acme.test;")
  const done = await form(`${path}?next=https://evil.test`, {
    action: 'confirm',
    next: 'https://evil.test',
  })
  expect([done.statusCode, done.headers.location]).toEqual([303, 'https://acme.test/welcome'])
})

test.each([
  ['/confirm/', 'x'.repeat(43)],
  ['/confirm/', 'short'],
  ['/u/', 'x'.repeat(66)],
  ['/preferences/', 'x'.repeat(66)],
])('an unknown link below %s says nothing', async (path, token) => {
  for (const method of ['GET', 'POST'] as const) {
    const answer = await api().call(path + token, { method })
    expect(answer.status).toBe(404)
    expectPage(answer)
    expect(answer.body).not.toMatch(/\w@\w/)
  }
})

test('a token whose ids or signature were changed is unknown', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'forged@example.com')
  const bytes = Buffer.from(readerTokenOf(api(), id, campaignId), 'base64url')
  for (const at of [1, 20, 40]) {
    const forged = Buffer.from(bytes)
    forged[at]! ^= 1
    const answer = await form(`/u/${forged.toString('base64url')}`, { action: 'unsubscribe' })
    expect(answer.statusCode).toBe(404)
  }
  expect((await contact(id)).status).toBe('subscribed')
})

// biome-ignore format: the columns are the point
test.each([
  ['the exact body of RFC 8058', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  ['the same as multipart', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'],
  ['a multipart body that is broken', 'multipart/form-data; boundary=b', '--x'],
  ['no type', undefined, 'List-Unsubscribe=One-Click'],
  ['no body', undefined, undefined],
  ['JSON', 'application/json', '{'],
] as const)('one click with %s', async (name, type, payload) => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, `${name.replaceAll(' ', '-')}@example.com`)
  const url = `/u/${readerTokenOf(api(), id, campaignId)}`
  for (let time = 1; time <= 2; time++) {
    const answer = await api().app.inject({
      ...{ method: 'POST', url },
      headers: type === undefined ? {} : { 'content-type': type },
      ...(payload === undefined ? {} : { payload }),
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toBe('You are unsubscribed.\n')
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers.location).toBeUndefined()
  }
  expect(await contact(id)).toMatchObject({ status: 'unsubscribed', unsubscribed_at: new Date(fixtureNowMs) })
  expect(await eventsOf(id)).toEqual(['created signup', 'unsubscribed one_click'])
  await api().pool.query('delete from contacts where id = $1', [id])
  expect((await api().call(url, { method: 'POST' })).status).toBe(200)
})

test('opening the unsubscribe page changes nothing; its button does, and can be undone for an hour', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'leaving@example.com')
  const path = `/u/${readerTokenOf(api(), id)}`
  const page = await api().call(path)
  expectPage(page)
  expect(page.body).toContain('Unsubscribe from Daily?')
  await api().app.inject({ method: 'HEAD', url: path })
  expect((await contact(id)).status).toBe('subscribed')

  expect((await form(path, { action: 'unsubscribe' })).body).toContain('Undo')
  expect((await contact(id)).status).toBe('unsubscribed')
  expect((await atLater(hourMs, () => form(path, { action: 'undo' }))).body).toContain(
    'Your subscription is restored',
  )
  expect(await contact(id)).toMatchObject({ status: 'subscribed', unsubscribed_at: null })
  await form(path, { action: 'unsubscribe' })
  await form(path, { action: 'reason', reason: ' too much <b>mail</b> ' })
  const late = await atLater(hourMs + 1, () => form(path, { action: 'undo' }))
  expect(late.body).toContain('can no longer be undone')
  expect((await contact(id)).status).toBe('unsubscribed')
  expect(await eventsOf(id)).toContain('unsubscribe_reason unsubscribe_page')
  expect((await api().call(path)).body).toContain('You are not subscribed')
})

test('a pending contact comes back as pending, and one that bounced stays so but leaves all the same', async () => {
  const tenant = await mailTenant(api())
  const pending = await signUp(tenant, tenant.confirming, 'p@example.com')
  await form(`/u/${readerTokenOf(api(), pending)}`, { action: 'unsubscribe' })
  await form(`/u/${readerTokenOf(api(), pending)}`, { action: 'undo' })
  expect((await contact(pending)).status).toBe('pending')

  const bounced = await signUp(tenant, tenant.direct, 'b@example.com')
  await api().pool.query(
    `update contacts set status = 'bounced', status_before = 'subscribed' where id = $1`,
    [bounced],
  )
  await form(`/u/${readerTokenOf(api(), bounced)}`, { action: 'unsubscribe' })
  expect(await contact(bounced)).toMatchObject({ status: 'bounced', status_before: 'unsubscribed' })
})

test('preferences: name, newsletters, everything at once', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'chooser@example.com')
  const path = `/preferences/${readerTokenOf(api(), id, campaignId)}`
  const page = await api().call(path)
  expectPage(page)
  expect(page.body).toContain('value="Ada"')
  const ids = await api().pool.query(
    'select id, slug from newsletters where organization_id = $1',
    [tenant.organizationId],
  )
  const idOf = (slug: string) => ids.rows.find((row) => row.slug === slug).id

  // A newsletter that confirms is asked for, not taken.
  const both: [string, string][] = [tenant.direct, tenant.confirming].map((slug) => [
    'newsletter',
    idOf(slug),
  ])
  const other = await mailTenant(api())
  const foreign = await api().pool.query('select id from newsletters where slug = $1', [
    other.direct,
  ])
  const fields: [string, string][] = [
    ['action', 'save'],
    ['name', 'Ada L.'],
    ...both,
    ['newsletter', foreign.rows[0].id],
  ]
  expect((await form(path, fields)).body).toContain('Saved.')
  expect((await form(path, fields)).body).toContain('waits for your confirmation')
  expect(await lettersTo(api(), 'chooser@example.com')).toHaveLength(1)
  expect(await contact(id)).toMatchObject({ status: 'subscribed', name: 'Ada L.' })
  const { rows } = await api().pool.query(
    'select newsletter_id from contacts where address_id = (select address_id from contacts where id = $1)',
    [id],
  )
  expect(rows).toHaveLength(2)
  await form(await confirmPathTo(api(), 'chooser@example.com'), { action: 'confirm' })

  expect((await form(path, { action: 'unsubscribe_all' })).body).toContain(
    'unsubscribed from everything',
  )
  expect((await contact(id)).status).toBe('unsubscribed')
  // Who confirmed once comes back by a tick.
  await form(path, [['action', 'save'], ['name', ''], ...both])
  const { rows: after } = await api().pool.query(
    'select status, name from contacts where address_id = (select address_id from contacts where id = $1)',
    [id],
  )
  expect(after).toEqual([
    { status: 'subscribed', name: null },
    { status: 'subscribed', name: null },
  ])
  expect(await eventsOf(id)).toContain('unsubscribed preferences')
})

test('a reader takes their data along, and nobody else’s', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.confirming, 'mine@example.com')
  await signUp(tenant, tenant.confirming, 'other@example.com')
  const path = `/preferences/${readerTokenOf(api(), id)}/data.json`
  const { body, headers } = await api().call(path)
  expect(headers['content-disposition']).toBe('attachment; filename="my-data.json"')
  expect(body).toMatchObject({
    address: { email: 'mine@example.com' },
    subscriptions: [{ newsletter: 'Weekly <News>', status: 'pending', attribs: { city: 'Rome' } }],
    events: [{ kind: 'created' }],
    letters: [{ kind: 'confirmation' }],
  })
  expect(JSON.stringify(body)).not.toContain('other@')
})

test('erasing takes two steps, leaves nothing, and of a suppressed address only a hash', async () => {
  const tenant = await mailTenant(api())
  const { organizationId } = tenant
  for (const [email, cause] of [
    ['gone@example.com', null],
    ['angry@example.com', 'complaint'],
  ] as const) {
    const id = await signUp(tenant, tenant.direct, email)
    await signUp(tenant, tenant.confirming, email)
    if (cause !== null) {
      await api().pool.query(
        `update addresses set suppressed_at = now(), suppression_cause = $2 where email_key = $1`,
        [email, cause],
      )
    }
    const path = `/preferences/${readerTokenOf(api(), id)}`
    expect((await form(path, { action: 'erase' })).body).toContain('Tick the box')
    expect(await contact(id)).toBeDefined()
    expect((await form(path, { action: 'erase', sure: 'yes' })).body).toContain(
      'Your data is erased',
    )
    expect((await api().call(path)).body).toContain('Nothing is stored')
    expect(
      (await form(`/u/${readerTokenOf(api(), id)}`, { 'List-Unsubscribe': 'One-Click' }))
        .statusCode,
    ).toBe(200)
    const { rows } = await api().pool.query(
      `select email, email_key, suppression_cause as cause from addresses where organization_id = $1`,
      [organizationId],
    )
    if (cause === null) expect(rows).toEqual([])
    else
      expect(rows).toEqual([
        { email: null, email_key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), cause },
      ])
    expect(await lettersTo(api(), email)).toEqual([])
  }
  const again = await ensureAddress(api().ctx.pg, {
    organizationId,
    email: 'angry@example.com',
    key: 'angry@example.com',
  })
  expect(again.suppressionCause).toBe('complaint')
  const reply = await callEmail(api(), tenant, '/contacts', {
    method: 'POST',
    body: { newsletter: tenant.confirming, email: 'angry@example.com' },
  })
  expect([reply.status, reply.body.status]).toEqual([201, 'complained'])
})

describe('a contact who comes back within the interval between two confirmation emails', () => {
  test('gets one, and the link used before says what it is, not that it has expired', async () => {
    const tenant = await mailTenant(api())
    const email = 'back@example.com'
    const id = await signUp(tenant, tenant.confirming, email)
    const used = await confirmPathTo(api(), email)
    await form(used, { action: 'confirm' })
    await form(`/u/${readerTokenOf(api(), id)}`, { action: 'unsubscribe' })

    const body = { newsletter: tenant.confirming, email, resubscribe: true }
    const again = await callEmail(api(), tenant, '/contacts', { method: 'POST', body })
    expect(again.body.status).toBe('pending')
    expect(again.headers['sluice-confirmation']).toBe('sent')
    expect(await lettersTo(api(), email)).toHaveLength(2)

    const repeated = await callEmail(api(), tenant, '/contacts', { method: 'POST', body })
    expect(repeated.headers['sluice-confirmation']).toBe('recently-sent')
    expect(await lettersTo(api(), email)).toHaveLength(2)

    const superseded = await api().call(used)
    expect(superseded.body).toContain('This link was already used')
    expect(superseded.body).not.toContain('expired')
    api().time.nowMs += 8 * 24 * 3_600_000
    try {
      expect((await api().call(await confirmPathTo(api(), email))).body).toContain(
        'This link has expired',
      )
    } finally {
      api().time.nowMs -= 8 * 24 * 3_600_000
    }
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['de-AT', 'de', 'Abonnement bestätigen',       'Abbestellen',     'Deine Newsletter'],
  ['fr',    'fr', 'Confirmer mon inscription',   'Se désabonner',   'Vos lettres'],
  ['es',    'es', 'Confirmar mi suscripción',    'Darme de baja',   'Tus boletines'],
  ['ja',    'en', 'Confirm my subscription',     'Unsubscribe',     'Your newsletters'],
])('pages of a newsletter in %s are in %s', async (locale, lang, confirm, leave, preferences) => {
  const tenant = await mailTenant(api())
  await api().pool.query('update newsletters set locale = $2 where organization_id = $1', [tenant.organizationId, locale])
  const email = `reader-${lang}@example.com`
  const id = await signUp(tenant, tenant.confirming, email)
  const token = readerTokenOf(api(), id)
  for (const [path, want] of [[await confirmPathTo(api(), email), confirm], [`/u/${token}`, leave], [`/preferences/${token}`, preferences]] as const) {
    const { body } = await api().call(path)
    expect(body).toContain(`<html lang="${lang}" dir="ltr">`)
    expect(body).toContain(want)
  }
})
