import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { apiOfThisFile, fixtureNowMs } from '../../test/fixtures/api-fixture.ts'
import { contactPages } from '../../test/fixtures/contact-page-fixture.ts'
import {
  confirmPathTo,
  contactTokenOf,
  emailsTo,
  mailTenant,
} from '../../test/fixtures/email-fixture.ts'

const api = apiOfThisFile()
const { signUp, contact, eventsOf, form, atLater, expectPage } = contactPages(api)
const hourMs = 3_600_000
const campaignId = '019ab2c5-0000-7000-8000-0000000000ff'

test.each([
  ['/confirm/', 'x'.repeat(43)],
  ['/confirm/', 'short'],
  ['/u/', 'x'.repeat(66)],
  ['/preferences/', 'x'.repeat(66)],
])('an unknown link below %s reveals nothing', async (path, token) => {
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
  const bytes = Buffer.from(contactTokenOf(api(), id, campaignId), 'base64url')
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
  const url = `/u/${contactTokenOf(api(), id, campaignId)}`
  for (let time = 1; time <= 2; time++) {
    const answer = await api().app.inject({
      method: 'POST',
      url,
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

test('opening the unsubscribe page changes nothing; its button unsubscribes, with an hour to undo it', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'leaving@example.com')
  const path = `/u/${contactTokenOf(api(), id)}`
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

test('undo restores a pending contact as pending; a bounced one stays bounced but unsubscribes', async () => {
  const tenant = await mailTenant(api())
  const pending = await signUp(tenant, tenant.confirming, 'p@example.com')
  await form(`/u/${contactTokenOf(api(), pending)}`, { action: 'unsubscribe' })
  await form(`/u/${contactTokenOf(api(), pending)}`, { action: 'undo' })
  expect((await contact(pending)).status).toBe('pending')

  const bounced = await signUp(tenant, tenant.direct, 'b@example.com')
  await api().pool.query(
    `update contacts set status = 'bounced', status_before = 'subscribed' where id = $1`,
    [bounced],
  )
  await form(`/u/${contactTokenOf(api(), bounced)}`, { action: 'unsubscribe' })
  expect(await contact(bounced)).toMatchObject({ status: 'bounced', status_before: 'unsubscribed' })
})

test('preferences change the name and newsletters, or unsubscribe from all', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'chooser@example.com')
  const path = `/preferences/${contactTokenOf(api(), id, campaignId, 'preferences')}`
  const page = await api().call(path)
  expectPage(page)
  expect(page.body).toContain('value="Ada"')
  const ids = await api().pool.query(
    'select id, slug from newsletters where organization_id = $1',
    [tenant.organizationId],
  )
  const idOf = (slug: string) => ids.rows.find((row) => row.slug === slug).id

  // A newsletter with double opt-in sends a confirmation email first.
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
  expect(await emailsTo(api(), 'chooser@example.com')).toHaveLength(1)
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
  // A contact that confirmed once is subscribed again without a confirmation.
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

/** The link of the last email to this address, as a path. */
async function mailedPathTo(email: string, below: string): Promise<string> {
  const text = (await emailsTo(api(), email)).at(-1)?.text ?? ''
  return new RegExp(`/${below}/\\S+`).exec(text)?.[0] ?? 'none'
}

const preferencesPath = (id: string) =>
  `/preferences/${contactTokenOf(api(), id, null, 'preferences')}`

// biome-ignore format: the columns are the point
test.each([
  ['de-AT', 'de', 'Abonnement bestätigen',     'Abbestellen',    'Deine Newsletter', 'Sieh in dein Postfach',      'Herunterladen', 'Deine Daten löschen?',   'Daten sind gelöscht',     'Link funktioniert nicht'],
  ['fr',    'fr', 'Confirmer mon inscription', 'Se désabonner',  'Vos lettres',      'Consultez votre messagerie', 'Télécharger',   'Effacer vos données ?',  'données sont effacées',   'ne fonctionne pas'],
  ['es',    'es', 'Confirmar mi suscripción',  'Darme de baja',  'Tus boletines',    'Mira tu buzón',              'Descargar',     '¿Borrar tus datos?',     'datos se han borrado',    'no funciona'],
  ['ja',    'en', 'Confirm my subscription',   'Unsubscribe',    'Your newsletters', 'Check your mailbox',         'Download',      'Erase your data?',       'data is erased',          'does not work'],
])('pages of a newsletter in %s are in %s', async (locale, lang, confirm, leave, preferences, mailed, download, erase, erased, expired) => {
  const tenant = await mailTenant(api())
  await api().pool.query('update newsletters set locale = $2 where organization_id = $1', [tenant.organizationId, locale])
  const email = `contact-${lang}@example.com`
  const id = await signUp(tenant, tenant.confirming, email)
  const token = contactTokenOf(api(), id)
  const expectText = (body: string, want: string) => {
    expect(body).toContain(`<html lang="${lang}" dir="ltr">`)
    expect(body).toContain(want)
  }
  for (const [path, want] of [[await confirmPathTo(api(), email), confirm], [`/u/${token}`, leave], [preferencesPath(id), preferences]] as const) {
    expectText((await api().call(path)).body, want)
  }
  expectText((await form(`/u/${token}`, { action: 'preferences' })).body, mailed)
  const legacy = `/preferences/${contactTokenOf(api(), id, uuidv7(), 'legacy')}`
  expectText((await api().call(legacy)).body, preferences)
  expectText((await form(preferencesPath(id), { action: 'export' })).body, mailed)
  expectText((await api().call(await mailedPathTo(email, 'data-export'))).body, download)
  expectText((await form(preferencesPath(id), { action: 'erase' })).body, mailed)
  const erasure = await mailedPathTo(email, 'data-erasure')
  expectText((await api().call(erasure)).body, erase)
  expectText((await form(erasure, {})).body, erased)
  expectText((await form(erasure, {})).body, expired)
})

test('the unsubscribe page sends the link to the preferences to the mailbox', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'footer@example.com')
  const page = await api().call(`/u/${contactTokenOf(api(), id)}`)
  expect(page.body).not.toContain('/preferences/')
  await form(`/u/${contactTokenOf(api(), id)}`, { action: 'preferences' })
  expect((await contact(id)).status).toBe('subscribed')
  const path = await mailedPathTo('footer@example.com', 'preferences')
  expect((await api().call(path)).body).toContain('value="Ada"')
})

test('the token of the List-Unsubscribe header can unsubscribe but not undo it', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'header@example.com')
  const path = `/u/${contactTokenOf(api(), id, campaignId, 'one_click')}`
  expect((await form(path, { action: 'unsubscribe' })).body).not.toContain('Undo')
  await form(path, { action: 'undo' })
  expect((await contact(id)).status).toBe('unsubscribed')
  const { rows } = await api().pool.query(
    `select count(*)::int from sends where to_address = 'header@example.com'`,
  )
  expect(rows).toEqual([{ count: 0 }])
})

test('a link of the former version opens the preferences when the email was not tracked', async () => {
  const tenant = await mailTenant(api())
  const id = await signUp(tenant, tenant.direct, 'older@example.com')
  const { rows } = await api().pool.query('select id from newsletters where slug = $1', [
    tenant.direct,
  ])
  const campaignOf = async (trackOpens: boolean, trackClicks: boolean) => {
    const campaign = uuidv7()
    await api().pool.query(
      `insert into campaigns (id, organization_id, newsletter_id, subject, markdown, archive_slug, compiled)
       values ($1::uuid, $2, $3, 's', 'm', $1::uuid::text, $4)`,
      [campaign, tenant.organizationId, rows[0].id, { trackOpens, trackClicks }],
    )
    return campaign
  }
  // biome-ignore format: the columns are the point
  const cases: [why: string, campaign: string | null, opens: boolean][] = [
    ['no campaign',      null,                          true],
    ['nothing tracked',  await campaignOf(false, false), true],
    ['opens tracked',    await campaignOf(true, false),  false],
    ['clicks tracked',   await campaignOf(false, true),  false],
    ['campaign is gone', uuidv7(),                      false],
  ]
  for (const [why, campaign, opens] of cases) {
    const path = `/preferences/${contactTokenOf(api(), id, campaign, 'legacy')}`
    const page = await api().call(path)
    expect([why, page.status, page.body.includes('value="Ada"')]).toEqual([why, 200, opens])
    if (opens) continue
    for (const action of ['save', 'unsubscribe_all', 'erase', 'export']) {
      expect((await form(path, { action, name: 'Eve' })).body).toMatch(/mailbox/)
    }
    expect(await contact(id)).toMatchObject({ status: 'subscribed', name: 'Ada' })
  }
  const emails = await emailsTo(api(), 'older@example.com')
  expect(emails.map(({ subject }) => subject)).toEqual(['Your preferences: Daily'])
})
