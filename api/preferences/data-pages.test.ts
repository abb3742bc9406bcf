import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { contactPages } from '../../test/fixtures/contact-page-fixture.ts'
import {
  callEmail,
  contactTokenOf,
  emailsTo,
  mailTenant,
} from '../../test/fixtures/email-fixture.ts'
import { ensureAddress } from '../contacts/address-store.ts'

const api = apiOfThisFile()
const { signUp, contact, form, atLater, expectPage } = contactPages(api)
const hourMs = 3_600_000

/** The link of the last email to this address, as a path. */
async function mailedPathTo(email: string, below: string): Promise<string> {
  const text = (await emailsTo(api(), email)).at(-1)?.text ?? ''
  return new RegExp(`/${below}/\\S+`).exec(text)?.[0] ?? 'none'
}

const preferencesPath = (id: string) =>
  `/preferences/${contactTokenOf(api(), id, null, 'preferences')}`

test('an export is confirmed by an emailed link and contains no data of others', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.confirming, 'mine@example.com')
  await signUp(tenant, tenant.confirming, 'other@example.com')
  expect((await api().call(`${preferencesPath(id)}/data.json`)).status).toBe(404)
  const asked = await form(preferencesPath(id), { action: 'export' })
  expect(asked.body).toContain('Check your mailbox')
  expect(asked.body).not.toContain('data-export')
  expect((await form(preferencesPath(id), { action: 'export' })).body).toContain('was sent already')
  const path = await mailedPathTo('mine@example.com', 'data-export')
  const page = await api().call(path)
  expectPage(page)
  expect(page.body).not.toContain('mine@')
  const { headers, body } = await form(path, {})
  expect(headers['content-disposition']).toBe('attachment; filename="my-data.json"')
  expect(JSON.parse(body)).toMatchObject({
    address: { email: 'mine@example.com' },
    subscriptions: [{ newsletter: 'Weekly <News>', status: 'pending', attribs: { city: 'Rome' } }],
    events: [{ kind: 'created' }],
    emails: [{ kind: 'system' }, { kind: 'confirmation' }],
  })
  expect(body).not.toContain('other@')
  expect((await atLater(hourMs - 1, () => form(path, {}))).statusCode).toBe(200)
  expect((await atLater(hourMs, () => form(path, {}))).statusCode).toBe(404)
  expect((await form(path.replace('data-export', 'data-erasure'), {})).statusCode).toBe(404)
})

test('the email with the link is encrypted in the database', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.confirming, 'sealed@example.com')
  for (const action of ['export', 'erase']) await form(preferencesPath(id), { action })
  const { rows } = await api().pool.query(
    `select text, html, row_to_json(sends)::text as all from sends where to_address = 'sealed@example.com'`,
  )
  expect(rows).toHaveLength(3)
  for (const row of rows) {
    expect(row).toMatchObject({ text: '', html: null })
    expect(row.all).not.toMatch(/data-export|data-erasure|confirm\//)
  }
})

test('no link is sent to an address that bounces', async () => {
  const tenant = await mailTenant(api())
  for (const [cause, answer] of [
    ['hard', 'No email can be sent'],
    ['complaint', 'Check your mailbox'],
  ] as const) {
    const email = `${cause}-suppressed@example.com`
    const id = await signUp(tenant, tenant.direct, email)
    await api().pool.query(
      `update addresses set suppressed_at = now(), suppression_cause = $2 where email_key = $1`,
      [email, cause],
    )
    expect((await form(preferencesPath(id), { action: 'erase' })).body).toContain(answer)
  }
})

test('an erasure is confirmed by an emailed link and leaves only the hash of a suppressed address', async () => {
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
    const path = preferencesPath(id)
    expect((await form(path, { action: 'erase', sure: 'yes' })).body).toContain(
      'Check your mailbox',
    )
    const erasure = await mailedPathTo(email, 'data-erasure')
    expect((await api().call(erasure)).body).toContain('cannot be undone')
    expect(await contact(id)).toBeDefined()
    expect((await form(erasure, {})).body).toContain('Your data is erased')
    expect((await form(erasure, {})).statusCode).toBe(404)
    expect((await api().call(path)).body).toContain('Nothing is stored')
    expect(
      (await form(`/u/${contactTokenOf(api(), id)}`, { 'List-Unsubscribe': 'One-Click' }))
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
    expect(await emailsTo(api(), email)).toEqual([])
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
