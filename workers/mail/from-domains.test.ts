/**
 * From addresses of domains that the organization removed after the email was stored, or never had.
 */
import { v7 as uuidv7 } from 'uuid'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { readSmtpUrl } from '#platform/smtp/smtp-settings.ts'
import { domainOfAddress } from '#schemas/mail/from-domain.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { waitUntil } from '../../test/fixtures/processes/wait-until.ts'
import {
  addCampaign,
  addContacts,
  addMailTenant,
  type MailTenant,
  readAccounting,
} from '../../test/mailkill/mail-fixture.ts'
import { SmtpSink, type TakenEmail } from '../../test/mailkill/smtp-sink.ts'
import { createMailMetrics } from './mail-metrics.ts'
import { MailProcess } from './mail-process.ts'

let pg: Pool
let postgresUrl: string
usePostgres(async (fixture) => {
  pg = fixture.pg
  postgresUrl = fixture.stores.postgresUrl
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function startMail(allowUnverifiedFrom: boolean) {
  const emails: TakenEmail[] = []
  const sink = await SmtpSink.start({ onEmail: (email) => emails.push(email) })
  const warnings: { code?: string; domain?: string }[] = []
  const log = Object.assign(createLogger('test', 'silent'), {
    warn: (about: object) => warnings.push(about),
  })
  const mail = new MailProcess({
    pg,
    postgresUrl,
    processId: uuidv7(),
    settings: readSmtpUrl(sink.url),
    connectionsMax: 2,
    leaseMs: 60_000,
    retrySeconds: [0],
    allowUnverifiedFrom,
    clock: systemClock,
    log,
    box: new SecretBox('a secret of the tests, of enough characters'),
    baseUrl: 'https://mail.example.test',
    from: { name: null, email: 'sluice@localhost' },
    metrics: createMailMetrics({
      connectionsOpen: () => 0,
      emailsOnWire: () => 0,
      isSmtpAway: () => false,
    }),
  })
  await mail.start()
  closing.push(async () => {
    await mail.drain()
    await sink.stop()
  })
  const warned = () => warnings.filter(({ code }) => code === 'from_not_verified')
  return { emails, warned }
}

async function forbid({ organizationId }: MailTenant) {
  await pg.query('delete from allowed_from_domains where organization_id = $1', [organizationId])
}

async function addSend(
  { organizationId }: MailTenant,
  kind: string,
  { age = '0 days', from = '' } = {},
) {
  const [id, addressId] = [uuidv7(), uuidv7()]
  const to = `${id}@reader.test`
  await pg.query(
    'insert into addresses (id, organization_id, email_key, email) values ($1, $2, $3, $3)',
    [addressId, organizationId, to],
  )
  await pg.query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, created_at)
       values ($1, $2, $3, $4, 1, $5, $6, 'S', 'T', now() - $7::interval)`,
    [id, organizationId, addressId, kind, from || 'news@sender.test', to, age],
  )
  await pg.query("select pg_notify('sends', '')")
  return id
}

async function stateOf(id: string) {
  const { rows } = await pg.query<{ state: string; reason: string | null; seconds: number }>(
    `select state, reason, extract(epoch from not_before - now())::float8 as seconds from sends where id = $1`,
    [id],
  )
  return rows[0]!
}

const endOf = (id: string) =>
  waitUntil('its end', async () => {
    const now = await stateOf(id)
    return now.reason === null && now.state !== 'sent' ? undefined : now
  })

// biome-ignore format: the columns are the point
test.each([
  ['transactional', '0 days', 'queued'],
  ['confirmation', '0 days', 'queued'],
  ['welcome', '0 days', 'queued'],
  ['test', '0 days', 'queued'],
  ['confirmation', '2 days', 'failed'],
  // Sent with MAIL_FROM, which the operator chooses.
  ['system', '0 days', 'sent'],
  ['notice', '0 days', 'sent'],
] as const)('a %s email of a removed domain, stored %s ago, is %s', async (kind, age, state) => {
  const tenant = await addMailTenant(pg)
  await forbid(tenant)
  const { emails, warned } = await startMail(false)
  const id = await addSend(tenant, kind, { age, from: 'News@Sender.TEST' })
  const end = await endOf(id)
  const reason = state === 'sent' ? null : 'from_not_verified: sender.test'
  expect(end).toMatchObject({ state, reason })
  expect(emails).toHaveLength(state === 'sent' ? 1 : 0)
  expect(warned()).toHaveLength(state === 'sent' ? 0 : 1)
  if (state === 'queued') expect(end.seconds).toBeGreaterThan(200)
})

test('waiting emails are sent when the domain is allowed', async () => {
  const tenant = await addMailTenant(pg)
  await forbid(tenant)
  const { emails } = await startMail(false)
  const id = await addSend(tenant, 'confirmation')
  await endOf(id)
  await pg.query(
    `insert into allowed_from_domains (organization_id, domain, created_by) values ($1, 'sender.test', 'x')`,
    [tenant.organizationId],
  )
  await pg.query('update sends set not_before = now() where id = $1', [id])
  await waitUntil('the email', async () => (await stateOf(id)).state === 'sent')
  expect(emails).toHaveLength(1)
})

test.each(['preparing', 'scheduled', 'sending'])(
  'a campaign that was %s when its domain was lost is paused with the reason, and goes on afterwards',
  async (before) => {
    const tenant = await addMailTenant(pg)
    await pg.query('delete from sending_domains')
    await addContacts(pg, tenant, { count: 5 })
    await forbid(tenant)
    const id = await addCampaign(pg, tenant)
    if (before !== 'preparing') {
      await pg.query('update campaigns set state = $2, scheduled_at = now() where id = $1', [
        id,
        before,
      ])
    }
    if (before === 'sending') {
      await pg.query(
        `insert into deliveries (campaign_id, contact_id, address_id)
           select $1, id, address_id from contacts where newsletter_id = $2`,
        [id, tenant.newsletterId],
      )
      await pg.query(
        'update campaign_counts set audience = 5, waiting = 5 where campaign_id = $1',
        [id],
      )
    }
    const { emails } = await startMail(false)
    const paused = await waitUntil('the pause', async () => {
      const accounting = await readAccounting(pg, id)
      return accounting.state === 'paused' ? accounting : undefined
    })
    expect(paused.reason).toMatch(/cannot be sent from sender\.test, .* has not verified it/)
    expect(paused).toMatchObject({ audience: 5, waiting: 5, sent: 0 })
    expect(emails).toEqual([])
    await pg.query(
      `insert into sending_domains (id, organization_id, domain, selector, sealed_key, public_key, state, owned_at)
         values (uuidv7(), $1, 'sender.test', 's1', '', '', 'failed', now())`,
      [tenant.organizationId],
    )
    await pg.query(`update campaigns set state = 'sending' where id = $1`, [id])
    await waitUntil('the end', async () => (await readAccounting(pg, id)).state === 'sent')
    expect(emails).toHaveLength(5)
  },
)

test('a domain that is removed during a campaign pauses the campaign', async () => {
  const tenant = await addMailTenant(pg)
  await addContacts(pg, tenant, { count: 1_000 })
  const id = await addCampaign(pg, tenant)
  // The rate makes the campaign take ten seconds on any machine.
  await pg.query('update campaigns set rate_max = 100 where id = $1', [id])
  const { emails } = await startMail(false)
  await waitUntil('some', async () => emails.length > 20)
  await forbid(tenant)
  await waitUntil('the pause', async () => (await readAccounting(pg, id)).state === 'paused')
  expect(emails.length).toBeLessThan(1_000)
})

test('with MAIL_ALLOW_UNVERIFIED_FROM every email is sent, and one warning is logged', async () => {
  const tenant = await addMailTenant(pg)
  await addContacts(pg, tenant, { count: 5 })
  await forbid(tenant)
  const { emails, warned } = await startMail(true)
  const ids = [await addSend(tenant, 'confirmation'), await addSend(tenant, 'transactional')]
  for (const id of ids) expect(await endOf(id)).toMatchObject({ state: 'sent', reason: null })
  const campaign = await addCampaign(pg, tenant)
  await waitUntil('the end', async () => (await readAccounting(pg, campaign)).state === 'sent')
  expect(emails).toHaveLength(7)
  expect(warned()).toMatchObject([{ domain: 'sender.test' }])
})

test.each([
  ...['news@sender.test', 'News@Sender.TEST', 'a@b.test.', '"a@b"@c.test', '@x.test', 'x.test', ''],
  ...['a@xn--mnchen-3ya.example', 'a@b@c.test'],
])('the domain of %j is the same in SQL', async (address) => {
  const { rows } = await pg.query('select domain_of_address($1) as domain', [address])
  expect(rows).toEqual([{ domain: domainOfAddress(address) }])
})
