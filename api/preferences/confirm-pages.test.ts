import { describe, expect, test } from 'vitest'
import { apiOfThisFile, fixtureNowMs } from '../../test/fixtures/api-fixture.ts'
import { contactPages } from '../../test/fixtures/contact-page-fixture.ts'
import {
  callEmail,
  confirmPathTo,
  contactTokenOf,
  emailsTo,
  mailTenant,
} from '../../test/fixtures/email-fixture.ts'

const api = apiOfThisFile()
const { signUp, contact, eventsOf, form, atLater, expectPage } = contactPages(api)
const hourMs = 3_600_000

test('opening a confirmation changes nothing, its button confirms, and repeating it is harmless', async () => {
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
    status: 'subscribed',
    confirmed_ip: '127.0.0.1',
    confirmed_user_agent: 'a browser',
    confirmed_at: new Date(fixtureNowMs),
  })
  expect(await eventsOf(id)).toEqual(['created signup', 'confirmed confirm_page'])
  const { rows } = await api().pool.query(
    `select soft_run from addresses where email_key = 'ada@example.com'`,
  )
  expect(rows[0].soft_run).toBe(0)
})

test('links work for seven days, also earlier ones, and an expired one can request a new one', async () => {
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
    expect(await emailsTo(api(), 'slow@example.com')).toHaveLength(3)
    await form(await confirmPathTo(api(), 'slow@example.com'), { action: 'confirm' })
  })
  expect((await contact(id)).status).toBe('subscribed')
})

test('a click does not subscribe contacts that unsubscribed, bounced or complained since', async () => {
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

test('after confirming, the newsletter can redirect to its own page and to no other', async () => {
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

describe('a contact who comes back within the interval between two confirmation emails', () => {
  test('gets one, and the used link says that it was used, not that it has expired', async () => {
    const tenant = await mailTenant(api())
    const email = 'back@example.com'
    const id = await signUp(tenant, tenant.confirming, email)
    const used = await confirmPathTo(api(), email)
    await form(used, { action: 'confirm' })
    await form(`/u/${contactTokenOf(api(), id)}`, { action: 'unsubscribe' })

    const body = { newsletter: tenant.confirming, email, resubscribe: true }
    const again = await callEmail(api(), tenant, '/contacts', { method: 'POST', body })
    expect(again.body.status).toBe('pending')
    expect(again.headers['sluice-confirmation']).toBe('sent')
    expect(await emailsTo(api(), email)).toHaveLength(2)

    const repeated = await callEmail(api(), tenant, '/contacts', { method: 'POST', body })
    expect(repeated.headers['sluice-confirmation']).toBe('recently-sent')
    expect(await emailsTo(api(), email)).toHaveLength(2)

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
