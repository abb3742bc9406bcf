/**
 * Every event of the feed, from its cause to the receiver of a webhook: signed, as documented, and
 * with one record of its delivery. What is no event: api/webhooks/feed/feed.test.ts.
 */
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { FeedEvent } from '#schemas/rest/alerts/feed-event.ts'
import { type WebhookEvent, webhookEvents } from '#schemas/rest/alerts/webhook.ts'
import { addHits } from '../../api/tracking/tracking-store.ts'
import { alertDeskOfThisFile } from '../fixtures/alerts/alert-desk.ts'
import { Causes } from '../fixtures/alerts/causes.ts'
import { contactPages } from '../fixtures/contact-page-fixture.ts'
import { callEmail, confirmPathTo, contactTokenOf } from '../fixtures/email-fixture.ts'
import { documentedFormats } from '../fixtures/notifications/documented-formats.ts'

const desk = alertDeskOfThisFile()
const { form } = contactPages(() => desk().api)

type Act = (scene: Causes) => Promise<unknown>

interface Contact {
  readonly id: string
  readonly email: string
}

async function signUp(scene: Causes, confirm = false): Promise<Contact> {
  const {
    desk: { api },
    tenant,
  } = scene
  const newsletter = confirm ? tenant.confirming : tenant.direct
  const email = `ada${scene.next()}@x${tenant.dsnId}.test`
  const body = { newsletter, email, name: 'Ada' }
  const answer = await callEmail(api, tenant, '/contacts', { method: 'POST', body })
  return { id: answer.body.id, email }
}

async function hit(scene: Causes, kind: 'open' | 'click'): Promise<void> {
  const { pool, time } = scene.desk.api
  const { id: contactId } = await signUp(scene)
  const { rows } = await pool.query(
    `with made as (
       insert into campaigns (id, organization_id, newsletter_id, state, subject, markdown, archive_slug)
       select gen_random_uuid(), organization_id, id, 'sent', 'News', 'News', gen_random_uuid() from newsletters where slug = $1
       returning id
     ), link as (
       insert into campaign_links (campaign_id, link_index, url) select id, 0, 'https://a.test/' from made
     )
     select id from made`,
    [scene.tenant.direct],
  )
  await addHits(pool, [
    {
      campaignId: rows[0].id,
      contactId,
      kind,
      linkIndex: kind === 'open' ? null : 0,
      machine: false,
      userAgent: null,
      at: new Date(time.nowMs),
    },
  ])
}

const reported =
  (type: 'hard' | 'complaint'): Act =>
  async (scene) => {
    const { email } = await signUp(scene)
    await scene.bounce(email, type)
  }

async function idea(scene: Causes): Promise<string> {
  const body = await scene.team('POST', '/ideas', { title: 'Dark mode', description: 'Please.' })
  return body.id ?? body.idea_id
}

const causes: Readonly<Record<WebhookEvent, Act>> = {
  'contact.subscribed': (scene) => signUp(scene),
  'contact.confirmed': async (scene) => {
    const { email } = await signUp(scene, true)
    await form(await confirmPathTo(scene.desk.api, email), { action: 'confirm' })
  },
  'contact.unsubscribed': async (scene) => {
    const { id } = await signUp(scene)
    await form(`/u/${contactTokenOf(scene.desk.api, id)}`, {})
  },
  'contact.bounced': reported('hard'),
  'contact.complained': reported('complaint'),
  'email.delivered': (scene) => scene.send(1),
  'email.bounced': reported('hard'),
  'email.opened': (scene) => hit(scene, 'open'),
  'email.clicked': (scene) => hit(scene, 'click'),
  'idea.created': idea,
  'idea.status_changed': async (scene) => {
    const id = await idea(scene)
    await scene.team('PATCH', `/ideas/${id}`, { status: 'Planned' })
  },
  'idea.commented': async (scene) => {
    const id = await idea(scene)
    await scene.visit(`/ideas/${id}/comments`, { body: 'Yes!' })
  },
}

test.each(webhookEvents)('%s', async (type) => {
  const tenant = await desk().tenant()
  const scene = new Causes(desk(), tenant)
  const wanted = await desk().addWebhook(tenant, [type])
  const others = webhookEvents.filter((each) => each !== type)
  const unwanted = await desk().addWebhook(await desk().tenant('Other'), [...webhookEvents])
  await desk().addWebhook(tenant, [others[0]!])
  await causes[type](scene)
  await desk().runJobs()
  const { rows } = await desk().api.pool.query(
    `select webhook_id, state, payload, jsonb_array_length(attempts) as attempts
     from notification_deliveries where payload ->> 'type' = $2 and webhook_id = any($1)`,
    [[wanted, unwanted], type],
  )
  expect(rows).toMatchObject([{ webhook_id: wanted, state: 'delivered', attempts: 1 }])
  expect(FeedEvent.parse(rows[0].payload)).toEqual(rows[0].payload)

  const own = desk().receiver.requests.filter(({ body }) => JSON.parse(body).type === type)
  expect(own).toHaveLength(1)
  const [{ headers, body }] = own as [(typeof own)[0]]
  documentedFormats['webhook']!.headers.parse(headers)
  expect(JSON.parse(body)).toEqual(rows[0].payload)
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
  expect(headers['webhook-signature']).toBe(
    new Webhook(desk().webhookSecret).sign(String(headers['webhook-id']), at, body),
  )

  await desk().runJobs()
  const all = desk().receiver.requests.filter((request) => JSON.parse(request.body).type === type)
  expect(all).toHaveLength(1)
})
