/** Emails that the mail server accepted are events for webhooks, once each. */
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { FeedEvent } from '#schemas/rest/alerts/feed-event.ts'
import { type RunningMail, startMail } from '../../../test/fixtures/notifications/start-mail.ts'
import { usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import { waitUntil } from '../../../test/fixtures/processes/wait-until.ts'
import {
  addCampaign,
  addContacts,
  addMailTenant,
  type MailTenant,
} from '../../../test/mailkill/mail-fixture.ts'

let pg: Pool
let postgresUrl: string
usePostgres((fixture) => {
  pg = fixture.pg
  postgresUrl = fixture.stores.postgresUrl
})

let tenant: MailTenant

beforeEach(async () => {
  tenant = await addMailTenant(pg)
  await addWebhook(tenant.organizationId, true)
  await addWebhook(tenant.organizationId, false)
  await addWebhook((await addMailTenant(pg)).organizationId, true)
})

let mail: RunningMail | undefined
afterEach(async () => {
  await mail?.stop()
  mail = undefined
})

async function addWebhook(organizationId: string, enabled: boolean): Promise<void> {
  await pg.query(
    `with hook as (
       insert into webhooks (id, organization_id, label, events, enabled)
       values (gen_random_uuid(), $1, '', '{email.delivered}', $2) returning id, organization_id
     )
     insert into notification_targets (id, organization_id, webhook_id, type, shown)
     select gen_random_uuid(), organization_id, id, 'webhook', '{}' from hook`,
    [organizationId, enabled],
  )
}

async function fed(): Promise<FeedEvent[]> {
  const { rows } = await pg.query(
    `select d.organization_id, w.enabled, d.payload from notification_deliveries d join webhooks w on w.id = d.webhook_id`,
  )
  const own = { organization_id: tenant.organizationId, enabled: true }
  return rows
    .filter((row) => row.organization_id === own.organization_id || !row.enabled)
    .map((row) => {
      expect(row).toMatchObject(own)
      return FeedEvent.parse(row.payload)
    })
}

async function addSend(kind: string): Promise<string> {
  const id = uuidv7()
  await pg.query(
    `with mailbox as (
       insert into addresses (id, organization_id, email, email_key)
       values (gen_random_uuid(), $2, $4, $4) returning id
     )
     insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text)
     select $1, $2, id, $3, 1, 'news@sender.test', $4, 'Hello', 'Hello' from mailbox`,
    [id, tenant.organizationId, kind, `${kind}@contacts.test`],
  )
  return id
}

test('each email of a campaign that was accepted is one event', async () => {
  await addContacts(pg, tenant, { count: 30 })
  const campaignId = await addCampaign(pg, tenant)
  mail = await startMail(pg, postgresUrl)
  await waitUntil('the campaign', async () => {
    const { rows } = await pg.query('select state from campaigns where id = $1', [campaignId])
    return rows[0].state === 'sent'
  })
  const events = await fed()
  expect(events).toHaveLength(30)
  const { rows } = await pg.query(
    `select c.id, a.email from contacts c join addresses a on a.id = c.address_id
      where c.newsletter_id = $1`,
    [tenant.newsletterId],
  )
  const expected = rows.map(({ id, email }) => ({
    to: email,
    kind: 'campaign',
    subject: 'News',
    send_id: null,
    campaign_id: campaignId,
    contact_id: id,
  }))
  expect(new Set(events.map(({ data }) => JSON.stringify(sorted(data))))).toEqual(
    new Set(expected.map((data) => JSON.stringify(sorted(data)))),
  )
})

const sorted = (data: object) => Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))

test('single emails to contacts are events, and Sluice’s own are not', async () => {
  const kinds = ['transactional', 'confirmation', 'welcome', 'system', 'notice', 'test']
  const ids = new Map<string, string>()
  for (const kind of kinds) ids.set(kind, await addSend(kind))
  mail = await startMail(pg, postgresUrl)
  await waitUntil('the emails', async () => {
    const { rows } = await pg.query(
      `select from sends where organization_id = $1 and state = 'sent'`,
      [tenant.organizationId],
    )
    return rows.length === kinds.length
  })
  const events = await fed()
  expect(events.map(({ data }) => data).sort(byKind)).toEqual(
    ['confirmation', 'transactional', 'welcome'].map((kind) => ({
      to: `${kind}@contacts.test`,
      kind,
      subject: 'Hello',
      send_id: ids.get(kind),
      campaign_id: null,
      contact_id: null,
    })),
  )
  // A result that is stored twice is one event.
  await pg.query(`update sends set state = 'sent' where organization_id = $1`, [
    tenant.organizationId,
  ])
  expect(await fed()).toHaveLength(3)
})

const byKind = (a: object, b: object) =>
  String((a as { kind: string }).kind) < String((b as { kind: string }).kind) ? -1 : 1
