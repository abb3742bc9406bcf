/** What was sent to one person, and what came back about a campaign. */
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import type { CampaignResults } from '#schemas/rest/email/campaign-admin.ts'
import type { ContactEmail } from '#schemas/rest/email/contact-email.ts'
import { apiOfThisFile, type PersonLogin } from '../../../test/fixtures/api-fixture.ts'
import { type Desk, openDesk } from '../../../test/fixtures/campaign-desk.ts'
import { addCampaign, addContacts, addMailTenant } from '../../../test/mailkill/mail-fixture.ts'
import { recordBounce } from '../../bounces/bounce-store.ts'
import { contactEmailsSql } from './contact-email-store.ts'

const api = apiOfThisFile()
const admin = '/api/v1/admin/email'
const sentAt = Date.parse('2026-11-20T10:00:00.123Z')

interface Reader {
  readonly contactId: string
  readonly addressId: string
}

async function addReader(
  desk: Desk,
  email: string,
  newsletterId = desk.newsletterId,
): Promise<Reader> {
  const { rows } = await api().pool.query<Reader>(
    `with mailbox as (
       insert into addresses (id, organization_id, email, email_key) values (gen_random_uuid(), $1, $2, $2)
       on conflict (organization_id, email_key) do update set email = excluded.email returning id
     )
     insert into contacts (id, organization_id, newsletter_id, address_id, status)
     select $3, $1, $4, id, 'subscribed' from mailbox returning id as "contactId", address_id as "addressId"`,
    [desk.tenant.organizationId, email, uuidv7(), newsletterId],
  )
  return rows[0]!
}

async function addSent(
  desk: Desk,
  hours: number,
  newsletterId = desk.newsletterId,
): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    `with campaign as (
       insert into campaigns (id, organization_id, newsletter_id, state, subject, markdown, archive_slug, sent_at)
       values ($1, $2, $3, 'sent', $4, 'x', $1::uuid::text, $5) returning id
     )
     insert into campaign_counts (campaign_id) select id from campaign`,
    [id, desk.tenant.organizationId, newsletterId, `Campaign ${hours}`, at(hours)],
  )
  return id
}

const at = (hours: number) => new Date(sentAt + hours * 3_600_000)

async function deliver(campaignId: string, { contactId, addressId }: Reader, state = 'sent') {
  await api().pool.query(
    `insert into deliveries (campaign_id, contact_id, address_id, state, tries, finished_at)
     select id, $2, $3, $4, 1, sent_at + interval '1 minute' from campaigns where id = $1`,
    [campaignId, contactId, addressId, state],
  )
}

async function addSend(desk: Desk, addressId: string, hours: number): Promise<string> {
  const id = uuidv7()
  await api().pool.query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, created_at)
     values ($1, $2, $3, 'transactional', 1, 'a@b.test', 'c@d.test', $4, 'x', $5)`,
    [id, desk.tenant.organizationId, addressId, `Email ${hours}`, at(hours)],
  )
  return id
}

async function listed(login: PersonLogin, contactId: string, query = ''): Promise<ContactEmail[]> {
  const { status, body } = await api().call(`${admin}/contacts/${contactId}/emails${query}`, {
    login,
  })
  expect(status).toBe(200)
  return body.items
}

test('campaigns of all newsletters and single emails of a person, newest first', async () => {
  const desk = await openDesk(api())
  const { login, tenant } = desk
  const second = uuidv7()
  await api().pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address) values ($1, $2, 'second', 'Second', 'n@news.test')`,
    [second, tenant.organizationId],
  )
  const ada = await addReader(desk, 'ada@readers.test')
  const adaToo = await addReader(desk, 'ada@readers.test', second)
  const bob = await addReader(desk, 'bob@readers.test')
  const [first, other, later] = [
    await addSent(desk, 1),
    await addSent(desk, 2, second),
    await addSent(desk, 4),
  ]
  await deliver(first, ada)
  await deliver(first, bob)
  await deliver(other, adaToo)
  await deliver(later, bob)
  await addSend(desk, ada.addressId, 3)
  await addSend(desk, bob.addressId, 5)
  await api().pool.query(
    `insert into tracking_hits (campaign_id, contact_id, kind, machine, at) values
       ($1, $2, 'open', true, $3), ($1, $2, 'open', false, $4), ($1, $2, 'open', false, $5), ($1, $2, 'click', false, $5), ($1, $6, 'open', false, $3)`,
    [first, ada.contactId, at(1), at(2), at(3), bob.contactId],
  )
  const emailRef = formatEmailRef({
    kind: 'delivery',
    campaignId: other,
    contactId: adaToo.contactId,
  })
  const bounce = { type: 'soft', cause: 'transient', counts: true, excerpt: 'full' } as const
  await recordBounce(
    api().ctx.pg,
    { ...bounce, addressId: ada.addressId, emailRef, at: at(3) },
    at(3),
  )

  const items = await listed(login, ada.contactId)
  expect(items.map(({ subject, newsletter }) => [subject, newsletter])).toEqual([
    ['Email 3', null],
    ['Campaign 2', 'second'],
    ['Campaign 1', desk.slug],
  ])
  expect(items[0]).toMatchObject({ status: 'queued', deliveredAt: null, contactId: null })
  expect(items[1]).toMatchObject({
    status: 'sent',
    openedAt: null,
    bounce: { type: 'soft', cause: 'transient', excerpt: 'full' },
  })
  expect(items[2]).toMatchObject({
    contactId: ada.contactId,
    deliveredAt: new Date(at(1).getTime() + 60_000).toISOString(),
    openedAt: at(2).toISOString(),
    clickedAt: at(3).toISOString(),
    bounce: null,
  })
  expect(await listed(login, adaToo.contactId)).toEqual(items)

  const stranger = await openDesk(api())
  const refused = await api().call(`${admin}/contacts/${ada.contactId}/emails`, {
    login: stranger.login,
  })
  expect(refused.status).toBe(404)
})

test('of an erased person no reply of a mail server stays', async () => {
  const desk = await openDesk(api())
  const ada = await addReader(desk, 'ada@readers.test')
  const bob = await addReader(desk, 'bob@readers.test')
  const campaignId = await addSent(desk, 1)
  for (const reader of [ada, bob]) {
    await deliver(campaignId, reader, 'failed')
    await api().pool.query(
      `update deliveries set reason = '550 <ada@readers.test>', attempt_log = '[{"text": "<ada@readers.test>"}]' where contact_id = $1`,
      [reader.contactId],
    )
  }
  const path = `${admin}/contacts/${ada.contactId}/erase`
  expect((await api().call(path, { method: 'POST', login: desk.login })).status).toBe(204)
  const { rows } = await api().pool.query(
    `select contact_id as id, state, reason is null and attempt_log is null as clean from deliveries where campaign_id = $1`,
    [campaignId],
  )
  expect(new Map(rows.map(({ id, state, clean }) => [id, [state, clean]]))).toEqual(
    new Map([
      [ada.contactId, ['failed', true]],
      [bob.contactId, ['failed', false]],
    ]),
  )
})

test('pages contain each email once, also those of one moment', async () => {
  const desk = await openDesk(api())
  const ada = await addReader(desk, 'ada@readers.test')
  for (const hours of [1, 1, 2, 2, 3]) {
    await deliver(await addSent(desk, hours), ada)
    await addSend(desk, ada.addressId, hours)
  }
  const all = await listed(desk.login, ada.contactId)
  expect(all).toHaveLength(10)
  const seen: string[] = []
  let query = '?limit=3'
  for (let page = 0; page < 4; page += 1) {
    const { body } = await api().call(`${admin}/contacts/${ada.contactId}/emails${query}`, {
      login: desk.login,
    })
    seen.push(...body.items.map(({ id }: ContactEmail) => id))
    query = `?limit=3&cursor=${body.next_cursor}`
    expect(body.next_cursor === null).toBe(page === 3)
  }
  expect(seen).toEqual(all.map(({ id }) => id))
})

test.each(['WyJ4Il0', 'eHg', 'WyIyNzU3NjAtMDktMTNUMDA6MDA6MDBaIiwieCJd'])(
  'the cursor %s is refused',
  async (cursor) => {
    const desk = await openDesk(api())
    const ada = await addReader(desk, 'ada@readers.test')
    const path = `${admin}/contacts/${ada.contactId}/emails?cursor=${cursor}`
    expect((await api().call(path, { login: desk.login })).body.code).toBe('invalid_cursor')
  },
)

const contacts = 2_000
const campaigns = 20

test('the deliveries of a person are found without reading those of others', async () => {
  const { pool } = api()
  const tenant = await addMailTenant(pool)
  await addContacts(pool, tenant, { count: contacts })
  for (let no = 0; no < campaigns; no += 1) await addCampaign(pool, tenant)
  await pool.query(
    `update campaigns set state = 'sent', sent_at = now() - random() * interval '20 days' where newsletter_id = $1`,
    [tenant.newsletterId],
  )
  await pool.query(
    `insert into deliveries (campaign_id, contact_id, address_id, state)
     select p.id, k.id, k.address_id, 'sent' from campaigns p join contacts k on k.newsletter_id = p.newsletter_id where p.newsletter_id = $1`,
    [tenant.newsletterId],
  )
  await pool.query('analyze deliveries, contacts, campaigns, sends, addresses, tracking_hits')
  const { rows } = await pool.query(
    'select address_id from contacts where newsletter_id = $1 limit 1 offset 700',
    [tenant.newsletterId],
  )
  const explained = await pool.query(`explain (analyze, buffers, costs off) ${contactEmailsSql}`, [
    rows[0].address_id,
    null,
    null,
    26,
  ])
  const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(/Index (?:Only )?Scan using deliveries_pkey/)
  expect(plan).not.toMatch(/Seq Scan on (?:deliveries|contacts)/)
})

test('the bounces and unsubscribes behind a campaign, over time and by address', async () => {
  const desk = await openDesk(api())
  const { login } = desk
  const start = new Date(api().ctx.clock.nowMs() - 5 * 3_600_000)
  const campaignId = await addSent(desk, 0)
  const otherId = await addSent(desk, 0)
  await api().pool.query('update campaigns set sent_at = $2 where id = any($1)', [
    [campaignId, otherId],
    start,
  ])
  const after = (hours: number) => new Date(start.getTime() + hours * 3_600_000)
  const report = async (
    email: string,
    cause: 'mailbox' | 'transient' | 'policy' | 'complaint',
    hours: number,
    of = campaignId,
  ) => {
    const reader = await addReader(desk, email)
    const emailRef = formatEmailRef({
      kind: 'delivery',
      campaignId: of,
      contactId: reader.contactId,
    })
    const type = cause === 'mailbox' ? 'hard' : cause === 'complaint' ? 'complaint' : 'soft'
    const bounce = {
      addressId: reader.addressId,
      emailRef,
      campaignId: of,
      excerpt: `about ${email}`,
    }
    const counts = cause !== 'policy'
    await recordBounce(
      api().ctx.pg,
      { ...bounce, type, cause, counts, at: after(hours) },
      after(hours),
    )
    return {
      reader,
      again: () =>
        recordBounce(
          api().ctx.pg,
          { ...bounce, type, cause, counts, at: after(hours) },
          after(hours),
        ),
    }
  }
  const gone = await report('gone@readers.test', 'mailbox', 0)
  await gone.again()
  await report('full@readers.test', 'transient', 2)
  await report('angry@readers.test', 'complaint', 3)
  await report('picky@readers.test', 'policy', 3)
  await report('early@readers.test', 'mailbox', -9)
  await report('elsewhere@readers.test', 'mailbox', 1, otherId)
  const left = await addReader(desk, 'left@readers.test')
  await api().pool.query(
    `update contacts set status = 'unsubscribed', unsubscribed_at = $2 where id = $1`,
    [left.contactId, after(4)],
  )
  await api().pool.query(
    `insert into contact_events (id, contact_id, kind, via, details, at) values
       (gen_random_uuid(), $1, 'unsubscribed', 'one_click', $2, $3),
       (gen_random_uuid(), $1, 'unsubscribed', 'unsubscribe_page', $2, $4),
       (gen_random_uuid(), $1, 'unsubscribe_reason', 'unsubscribe_page', '{"reason": "<b>Too many</b>"}', $4)`,
    [left.contactId, JSON.stringify({ campaignId }), after(3), after(4)],
  )

  const path = `${admin}/campaigns/${campaignId}`
  const { body } = await api().call(`${path}/results`, { login })
  const sums = body.series.map((point: CampaignResults['series'][number]) =>
    [point.hardBounces, point.softBounces, point.complaints, point.unsubscribes].join(' '),
  )
  expect(sums).toEqual(['2 0 0 0', '0 0 0 0', '0 1 0 0', '0 0 1 0', '0 0 0 1', '0 0 0 0'])
  const counted = await api().call(`${path}/progress`, { login })
  expect([counted.body.bounced, counted.body.complained]).toEqual([3, 1])

  const emails = async (query: string) =>
    (await api().call(`${path}/bounces?${query}`, { login })).body.items.map(
      ({ email }: { email: string }) => email.split('@')[0],
    )
  expect(await emails('type=hard')).toEqual(['early', 'gone', 'gone'])
  expect(await emails('type=complaint')).toEqual(['angry'])
  expect((await emails('')).sort()).toEqual(['angry', 'early', 'full', 'gone', 'gone', 'picky'])
  const { body: page } = await api().call(`${path}/bounces?limit=4`, { login })
  const { body: rest } = await api().call(`${path}/bounces?cursor=${page.next_cursor}`, { login })
  expect([page.items.length, rest.items.length, rest.next_cursor]).toEqual([4, 2, null])
  expect(page.items[0]).toMatchObject({ contactId: expect.any(String), cause: 'mailbox' })

  const unsubscribes = await api().call(`${path}/unsubscribes`, { login })
  expect(unsubscribes.body).toEqual({
    items: [
      {
        contactId: left.contactId,
        email: 'left@readers.test',
        name: null,
        via: 'unsubscribe_page',
        reason: '<b>Too many</b>',
        at: after(4).toISOString(),
      },
    ],
    next_cursor: null,
  })
})
