/**
 * The event feed: each event, caused as people and providers cause it, is one delivery for each
 * webhook that wants it. Emails that are delivered: workers/mail/feed-delivered.test.ts.
 */
import { runMigrations } from 'graphile-worker'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FeedEvent } from '#schemas/rest/alerts/feed-event.ts'
import { type WebhookEvent, webhookEvents } from '#schemas/rest/alerts/webhook.ts'
import { apiOfThisFile, type PersonLogin } from '../../../test/fixtures/api-fixture.ts'
import { contactPages } from '../../../test/fixtures/contact-page-fixture.ts'
import {
  callEmail,
  confirmPathTo,
  contactTokenOf,
  type MailTenant,
  mailTenant,
} from '../../../test/fixtures/email-fixture.ts'
import { addHits, type FoldedHit } from '../../tracking/tracking-store.ts'

const api = apiOfThisFile()
const { form } = contactPages(api)
let tenant: MailTenant
let login: PersonLogin
let wanted: string
let others: string[]
let addresses = 0

beforeAll(async () => {
  await runMigrations({ pgPool: api().pool })
  tenant = await mailTenant(api(), 'Fed')
  login = await api().login(tenant)
  wanted = await addWebhook(login, [...webhookEvents])
  const elsewhere = await api().login(await mailTenant(api(), 'Elsewhere'))
  others = [
    await addWebhook(elsewhere, [...webhookEvents]),
    await addWebhook(login, [...webhookEvents], false),
  ]
  const gone = await addWebhook(login, [...webhookEvents])
  await api().pool.query(
    'update notification_targets set disabled_at = now() where webhook_id = $1',
    [gone],
  )
  others.push(gone)
  await api().pool.query('insert into portal_settings (project_id) values ($1)', [
    tenant.project.id,
  ])
})

beforeEach(async () => {
  await api().pool.query('delete from notification_deliveries')
  await api().pool.query('delete from graphile_worker._private_jobs')
})

async function addWebhook(
  who: PersonLogin,
  events: readonly WebhookEvent[],
  enabled = true,
): Promise<string> {
  const { status, body } = await api().call('/api/v1/organization/webhooks', {
    method: 'POST',
    login: who,
    body: { url: 'https://hooks.example.com/feed', events, enabled },
  })
  expect(status).toBe(201)
  return body.id
}

/** What was stored for the webhook that wants everything. The others never get anything. */
async function fed(): Promise<FeedEvent[]> {
  const { rows } = await api().pool.query(
    `select webhook_id, organization_id, state, notification_id, payload from notification_deliveries order by id`,
  )
  for (const row of rows) {
    expect(row).toMatchObject({
      webhook_id: wanted,
      organization_id: tenant.organizationId,
      state: 'pending',
      notification_id: null,
    })
  }
  expect(rows.filter(({ webhook_id }) => others.includes(webhook_id))).toEqual([])
  return rows.map(({ payload }) => FeedEvent.parse(payload))
}

const types = async () => (await fed()).map(({ type }) => type)
const clear = () => api().pool.query('delete from notification_deliveries')

async function signUp(newsletter: string): Promise<{ id: string; email: string }> {
  addresses += 1
  const email = `ada${addresses}@contacts.test`
  const body = { newsletter, email, name: 'Ada', attribs: { city: 'Rome' } }
  const { body: reply } = await callEmail(api(), tenant, '/contacts', { method: 'POST', body })
  return { id: reply.id, email }
}

describe('contacts', () => {
  test('a signup without confirmation is contact.subscribed', async () => {
    const { id, email } = await signUp(tenant.direct)
    expect(await fed()).toEqual([
      {
        type: 'contact.subscribed',
        timestamp: new Date(api().time.nowMs).toISOString(),
        data: {
          contact: {
            id,
            email,
            name: 'Ada',
            status: 'subscribed',
            attribs: { city: 'Rome' },
            newsletter: { id: expect.any(String), slug: tenant.direct, name: 'Daily' },
          },
          via: 'signup',
          cause: null,
        },
      },
    ])
    await clear()
    const again = { newsletter: tenant.direct, email }
    await callEmail(api(), tenant, '/contacts', { method: 'POST', body: again })
    expect(await fed()).toEqual([])
  })

  test('a signup with confirmation is nothing, until it is confirmed', async () => {
    const { email } = await signUp(tenant.confirming)
    expect(await fed()).toEqual([])
    const path = await confirmPathTo(api(), email)
    for (let time = 1; time <= 2; time += 1) await form(path, { action: 'confirm' })
    expect(await fed()).toMatchObject([
      { type: 'contact.confirmed', data: { contact: { email, status: 'subscribed' } } },
      { type: 'contact.subscribed', data: { contact: { email }, via: 'confirm_page' } },
    ])
  })

  test('one click unsubscribes once, and undoing it subscribes', async () => {
    const { id, email } = await signUp(tenant.direct)
    await clear()
    const path = `/u/${contactTokenOf(api(), id)}`
    for (let time = 1; time <= 2; time += 1) await form(path, {})
    expect(await fed()).toMatchObject([
      {
        type: 'contact.unsubscribed',
        data: { contact: { id, email, status: 'unsubscribed' }, via: 'one_click' },
      },
    ])
    await form(path, { action: 'undo' })
    expect(await types()).toEqual(['contact.unsubscribed', 'contact.subscribed'])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a hard bounce', { type: 'hard' }, ['email.bounced', 'contact.bounced'], 'hard'],
    ['a complaint', { type: 'complaint' }, ['contact.complained'], 'complaint'],
    ['a soft bounce', { type: 'soft' }, ['email.bounced'], null],
  ] as const)('%s', async (_name, report, expected, cause) => {
    const { id, email } = await signUp(tenant.direct)
    await clear()
    const body = { email, ...report }
    const { status } = await callEmail(api(), tenant, '/bounces', { method: 'POST', body })
    expect(status).toBe(200)
    const events = await fed()
    expect(events.map(({ type }) => type).sort()).toEqual([...expected].sort())
    for (const event of events) {
      if (event.type === 'email.bounced') {
        expect(event.data).toMatchObject({ to: email, type: report.type, counted: true })
      } else {
        expect(event).toMatchObject({ data: { contact: { id, email }, cause } })
      }
    }
  })

  test('a suppression by a person is contact.bounced, one of an imported list is nothing', async () => {
    const { id, email } = await signUp(tenant.direct)
    const other = await signUp(tenant.direct)
    await clear()
    await api().pool.query(
      `select suppress_address(address_id, 'manual', 'import', 'dashboard', now()) from contacts where id = $1`,
      [other.id],
    )
    expect(await fed()).toEqual([])
    await api().pool.query(
      `select suppress_address(address_id, 'manual', 'ada', 'dashboard', now()) from contacts where id = $1`,
      [id],
    )
    expect(await fed()).toMatchObject([
      { type: 'contact.bounced', data: { contact: { email }, cause: 'manual' } },
    ])
  })

  test('imports emit nothing', async () => {
    const { id } = await signUp(tenant.direct)
    await clear()
    await api().pool.query(
      `insert into contact_events (id, contact_id, kind, via, details)
       select gen_random_uuid(), $1, kind, 'import', '{"status": "subscribed"}'
         from unnest('{created,confirmed,unsubscribed}'::text[]) kind`,
      [id],
    )
    expect(await fed()).toEqual([])
  })
})

describe('opens and clicks', () => {
  async function campaign(): Promise<string> {
    const { rows } = await api().pool.query(
      `with made as (
         insert into campaigns (id, organization_id, newsletter_id, state, subject, markdown, archive_slug)
         select gen_random_uuid(), organization_id, id, 'sent', 'News', 'News', gen_random_uuid() from newsletters where slug = $1
         returning id
       ), link as (
         insert into campaign_links (campaign_id, link_index, url) select id, 0, 'https://a.test/' from made
       )
       select id from made`,
      [tenant.direct],
    )
    return rows[0].id
  }

  const hit = (campaignId: string, contactId: string | null, parts: Partial<FoldedHit> = {}) => ({
    campaignId,
    contactId,
    kind: 'click' as const,
    linkIndex: 0,
    machine: false,
    userAgent: null,
    at: new Date(api().time.nowMs),
    ...parts,
  })

  test('the first of each contact, campaign and kind is an event', async () => {
    const [ada, bob] = [await signUp(tenant.direct), await signUp(tenant.direct)]
    await clear()
    const one = await campaign()
    const open = { kind: 'open', linkIndex: null } as const
    await addHits(api().pool, [hit(one, ada.id, open), hit(one, ada.id, open), hit(one, ada.id)])
    const email = { to: ada.email, kind: 'campaign', subject: 'News', send_id: null }
    const ids = { campaign_id: one, contact_id: ada.id }
    expect(await fed()).toMatchObject([
      { type: 'email.clicked', data: { ...email, ...ids, url: 'https://a.test/' } },
      { type: 'email.opened', data: { ...email, ...ids } },
    ])
    await addHits(api().pool, [hit(one, ada.id), hit(one, ada.id, open)])
    expect(await fed()).toHaveLength(2)
    await addHits(api().pool, [hit(one, bob.id), hit(await campaign(), ada.id)])
    expect(await fed()).toHaveLength(4)
  })

  test('those of machines and of newsletters that do not track contacts are none', async () => {
    const { id } = await signUp(tenant.direct)
    await clear()
    const one = await campaign()
    await addHits(api().pool, [hit(one, id, { machine: true }), hit(one, null)])
    expect(await fed()).toEqual([])
    await addHits(api().pool, [hit(one, id)])
    expect(await types()).toEqual(['email.clicked'])
  })

  test('of several processes that store hits at the same time, one is the first', async () => {
    const { id } = await signUp(tenant.direct)
    await clear()
    const one = await campaign()
    await Promise.all([1, 2, 3, 4].map(() => addHits(api().pool, [hit(one, id)])))
    expect(await types()).toEqual(['email.clicked'])
  })
})

describe('ideas', () => {
  const admin = (path: string, method: 'POST' | 'PATCH', body: object) =>
    api().call(`/api/v1/admin/portal/${tenant.project.id}${path}`, { method, login, body })
  const visitor = (path: string, body: object) => {
    addresses += 1
    return api().call(`/api/v1/p/${tenant.project.projectKey}${path}`, {
      method: 'POST',
      body: { enduser_id: 'eve', ...body },
      address: `10.9.${addresses >> 8}.${addresses & 255}`,
    })
  }
  const moderate = async (how: string) => {
    await api().pool.query('update portal_settings set moderation = $2 where project_id = $1', [
      tenant.project.id,
      how,
    ])
    // Settings of portals are cached for a while.
    api().time.nowMs += 60_000
  }
  const suggest = async (title: string): Promise<string> => {
    const { status, body } = await visitor('/ideas/suggest', { title, description: 'Please.' })
    expect(status).toBe(201)
    return body.idea_id
  }

  beforeAll(() => moderate('off'))

  test('of the team and of visitors are created, change their status and get comments', async () => {
    const idea = { title: 'Dark mode', description: 'Please.' }
    const { body } = await admin('/ideas', 'POST', idea)
    const project = { id: tenant.project.id, name: 'Fed' }
    const id: string = body.id ?? body.idea_id
    expect(await fed()).toMatchObject([
      { type: 'idea.created', data: { project, idea: { id, title: 'Dark mode', status: 'Open' } } },
    ])
    await clear()
    await admin(`/ideas/${id}`, 'PATCH', { status: 'Planned', title: 'Darker mode' })
    await admin(`/ideas/${id}`, 'PATCH', { status: 'Planned' })
    expect(await fed()).toMatchObject([
      {
        type: 'idea.status_changed',
        data: { idea: { title: 'Darker mode', status: 'Planned' }, from: 'Open', to: 'Planned' },
      },
    ])
    await clear()
    expect((await visitor(`/ideas/${id}/comments`, { body: 'Yes!' })).status).toBe(201)
    expect((await admin(`/ideas/${id}/comments`, 'POST', { body: 'Soon.' })).status).toBe(201)
    expect(await fed()).toMatchObject([
      { type: 'idea.commented', data: { idea: { id }, comment: { body: 'Yes!', is_team: false } } },
      { type: 'idea.commented', data: { comment: { body: 'Soon.', is_team: true } } },
    ])
  })

  test('a merge is a change of the status', async () => {
    const [one, two] = [await suggest('One'), await suggest('Two')]
    await clear()
    expect((await admin(`/ideas/${one}/merge`, 'POST', { into: two })).status).toBe(200)
    expect(await fed()).toMatchObject([
      { type: 'idea.status_changed', data: { idea: { id: one }, from: 'Open', to: 'Duplicate' } },
    ])
  })

  test('what waits for a moderator is an event when it is approved, and never when it is rejected', async () => {
    const open = await suggest('Open idea')
    await clear()
    await moderate('all')
    const [good, bad] = [await suggest('Good'), await suggest('Bad')]
    const { body } = await visitor(`/ideas/${open}/comments`, { body: 'Waits.' })
    expect(await fed()).toEqual([])
    await admin(`/moderation/ideas/${bad}`, 'POST', { decision: 'reject' })
    expect(await fed()).toEqual([])
    await admin(`/moderation/ideas/${good}`, 'POST', { decision: 'approve' })
    await admin(`/moderation/comments/${body.comment_id}`, 'POST', { decision: 'approve' })
    expect(await fed()).toMatchObject([
      { type: 'idea.created', data: { idea: { id: good } } },
      { type: 'idea.commented', data: { comment: { body: 'Waits.' } } },
    ])
    await moderate('off')
  })
})

describe('a webhook', () => {
  test('gets only the types that it wants, and its target a job to send them', async () => {
    const one = await addWebhook(login, ['contact.unsubscribed'])
    const { id } = await signUp(tenant.direct)
    await form(`/u/${contactTokenOf(api(), id)}`, {})
    const { rows } = await api().pool.query(
      `select webhook_id, payload ->> 'type' as type, target_id from notification_deliveries order by id`,
    )
    expect(rows.map(({ webhook_id, type }) => [webhook_id, type])).toEqual([
      [wanted, 'contact.subscribed'],
      [wanted, 'contact.unsubscribed'],
      [one, 'contact.unsubscribed'],
    ])
    const jobs = await api().pool.query(
      `select payload ->> 'target_id' as id from graphile_worker._private_jobs order by id`,
    )
    expect(new Set(jobs.rows.map((row) => row.id))).toEqual(
      new Set(rows.map(({ target_id }) => target_id)),
    )
    await api().pool.query('delete from webhooks where id = $1', [one])
  })

  test('an event of a transaction that is rolled back is not sent', async () => {
    await api()
      .ctx.pg.transaction(async (pg) => {
        await pg.query(`select emit_event($1, 'idea.created', '{}')`, [tenant.organizationId])
        throw new Error('no')
      })
      .catch(() => undefined)
    expect(await fed()).toEqual([])
  })

  test('concurrent causes of several types do not wait for each other', async () => {
    const both = [tenant.organizationId, ['contact.subscribed', 'contact.confirmed']]
    const emit = `select emit_event($1, t, '{}') from unnest($2::text[]) t`
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = api().ctx.pg.transaction(async (pg) => {
      await pg.query(emit, both)
      await held
    })
    await api().pool.query(emit, both)
    release()
    await slow
    const { rows } = await api().pool.query('select from notification_deliveries')
    expect(rows).toHaveLength(4)
  })
})
