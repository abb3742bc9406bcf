import { v7 as uuidv7 } from 'uuid'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { readSmtpUrl } from '#platform/smtp/smtp-settings.ts'
import { emailBodyPurpose } from '#schemas/mail/email-body.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { waitUntil } from '../../test/fixtures/processes/wait-until.ts'
import {
  addCampaign,
  addContacts,
  addMailTenant,
  type MailTenant,
  readAccounting,
  recount,
} from '../../test/mailkill/mail-fixture.ts'
import { type SinkOptions, SmtpSink, type TakenEmail } from '../../test/mailkill/smtp-sink.ts'
import { createMailMetrics } from './mail-metrics.ts'
import { MailProcess } from './mail-process.ts'

let pg: Pool
let postgresUrl: string
let tenant: MailTenant
usePostgres(async (fixture) => {
  pg = fixture.pg
  postgresUrl = fixture.stores.postgresUrl
})

const running: { drain: () => Promise<void> }[] = []
const sinks: SmtpSink[] = []
afterEach(async () => {
  for (const process of running.splice(0)) await process.drain()
  for (const sink of sinks.splice(0)) await sink.stop()
})

async function begin(options: SinkOptions = {}) {
  tenant = await addMailTenant(pg)
  const emails: TakenEmail[] = []
  const sink = await SmtpSink.start({ onEmail: (email) => emails.push(email), ...options })
  sinks.push(sink)
  return { emails, sink }
}

async function startMail(url: string, connectionsMax = 4, allowUnverified = false) {
  const mail = new MailProcess({
    pg,
    postgresUrl,
    processId: uuidv7(),
    settings: readSmtpUrl(url),
    connectionsMax,
    leaseMs: 60_000,
    retrySeconds: [0, 0, 0],
    box,
    baseUrl: 'https://mail.example.test',
    from: { name: null, email: 'sluice@localhost' },
    allowUnverifiedFrom: allowUnverified,
    clock: systemClock,
    log: createLogger('test', 'silent'),
    metrics: createMailMetrics({
      connectionsOpen: () => 0,
      emailsOnWire: () => 0,
      isSmtpAway: () => false,
    }),
  })
  await mail.start()
  running.push(mail)
  return mail
}

const box = new SecretBox('a secret of the tests, of enough characters')

interface SendParts {
  readonly priority?: number
  readonly suppressed?: boolean
  readonly cause?: string
  readonly kind?: string
  /** Stored sealed; the row has no other text. */
  readonly sealed?: string
}

async function addSend(to: string, parts: SendParts = {}) {
  const { kind = 'transactional', sealed } = parts
  const id = uuidv7()
  const addressId = uuidv7()
  await pg.query(
    `insert into addresses (id, organization_id, email_key, email, suppressed_at, suppression_cause)
       values ($1, $2, lower($3), $3, $4, $5)`,
    [
      addressId,
      tenant.organizationId,
      to,
      parts.suppressed ? new Date() : null,
      parts.suppressed ? (parts.cause ?? 'hard') : null,
    ],
  )
  await pg.query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, from_name, to_address, subject, html, text, headers, sealed_body)
       values ($1, $2, $3, $6, $4, 'news@sender.test', 'Zażółć, "News"', $5, 'Grüße 😀', $7, $8, '{"Auto-Submitted": "auto-generated"}', $9)`,
    [
      ...[id, tenant.organizationId, addressId, parts.priority ?? 1, to, kind],
      ...(sealed === undefined ? ['<p>é</p>', 'é', null] : [null, '', sealBody(id, sealed)]),
    ],
  )
  await pg.query("select pg_notify('sends', '')")
  return { id, addressId }
}

function sealBody(id: string, text: string): Buffer {
  return box.seal(emailBodyPurpose, id, JSON.stringify({ text, html: null }))
}

async function stateOf(id: string) {
  const { rows } = await pg.query<{ state: string; reason: string | null; attempt: number }>(
    'select state, reason, attempt from sends where id = $1',
    [id],
  )
  return rows[0]!
}

test('a single email is sent as soon as it is stored, and the time is stored with its mailbox', async () => {
  const { emails, sink } = await begin()
  await startMail(sink.url)
  const { id, addressId } = await addSend('Person@reader.test')
  await waitUntil('the email', async () => (await stateOf(id)).state === 'sent')
  expect(emails).toMatchObject([{ from: 'news@sender.test', to: 'Person@reader.test' }])
  const raw = emails[0]!.raw
  expect(raw).toMatch(/^Message-ID: <s[a-z2-7]{26}@sender\.test>\r$/m)
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(raw).not.toMatch(/^List-/m)
  const { rows } = await pg.query<{ last_sent_at: Date | null }>(
    'select last_sent_at from addresses where id = $1',
    [addressId],
  )
  expect(rows[0]?.last_sent_at).not.toBeNull()
})

test.each([
  ['hard', 'system', 'skipped'],
  ['complaint', 'system', 'sent'],
  ['manual', 'system', 'sent'],
  ['soft_run', 'system', 'sent'],
  ['complaint', 'transactional', 'skipped'],
  ['manual', 'confirmation', 'skipped'],
] as const)(
  'to a mailbox suppressed as %s an email of the kind %s is %s',
  async (cause, kind, end) => {
    const { emails, sink } = await begin()
    await startMail(sink.url)
    const to = `${cause}-${kind}@reader.test`
    const { id } = await addSend(to, { suppressed: true, cause, kind })
    await waitUntil('its end', async () => (await stateOf(id)).state === end)
    expect(emails.map((email) => email.to)).toEqual(end === 'sent' ? [to] : [])
    if (end === 'skipped') expect((await stateOf(id)).reason).toBe(`suppressed: ${cause}`)
  },
)

test('a sealed text is decrypted only for sending and deleted afterwards', async () => {
  const { emails, sink } = await begin()
  await startMail(sink.url)
  const { id } = await addSend('sealed@reader.test', { kind: 'system', sealed: 'the secret link' })
  await waitUntil('the email', async () => (await stateOf(id)).state === 'sent')
  expect(emails[0]!.raw).toContain('the secret link')
  const { rows } = await pg.query('select text, html, sealed_body from sends where id = $1', [id])
  expect(rows).toEqual([{ text: '', html: null, sealed_body: null }])
})

test('an email to a suppressed mailbox is skipped, and a refused mailbox is suppressed', async () => {
  const { emails, sink } = await begin({
    fault: (phase, { to }) =>
      phase === 'rcpt' && to.startsWith('gone')
        ? { kind: 'reply', reply: '550 5.1.1 no such user' }
        : undefined,
  })
  await startMail(sink.url)
  const suppressed = await addSend('no@reader.test', { suppressed: true })
  const gone = await addSend('gone@reader.test')
  await waitUntil('the end of one', async () => (await stateOf(suppressed.id)).state === 'skipped')
  await waitUntil('the end of the other', async () => (await stateOf(gone.id)).state === 'failed')
  expect(await stateOf(gone.id)).toMatchObject({ reason: '550 5.1.1 no such user' })
  await waitUntil('the suppression', async () => {
    const { rows } = await pg.query<{ cause: string | null }>(
      'select suppression_cause as cause from addresses where id = $1',
      [gone.addressId],
    )
    return rows[0]?.cause === 'hard'
  })
  expect(emails).toEqual([])
})

test('a campaign is sent to every contact once, and its counts add up', async () => {
  const { emails, sink } = await begin()
  await addContacts(pg, tenant, { count: 1_200 })
  await startMail(sink.url)
  await startMail(sink.url)
  const id = await addCampaign(pg, tenant)
  await waitUntil('the end', async () => (await readAccounting(pg, id)).state === 'sent')
  expect(await readAccounting(pg, id)).toMatchObject({ audience: 1_200, sent: 1_200, waiting: 0 })
  expect(await recount(pg, id)).toEqual({ sent: 1_200 })
  expect(new Set(emails.map((email) => email.to)).size).toBe(1_200)
  expect(emails).toHaveLength(1_200)
  const raw = emails[0]!.raw
  expect(raw).toMatch(/^List-Unsubscribe: <https:\/\/mail\.example\.test\/u\/[\w-]{66}>\r$/m)
  expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
})

test('a rate limits a campaign, a pause stops it, and a contact who unsubscribes meanwhile gets no email', async () => {
  const { emails, sink } = await begin()
  await addContacts(pg, tenant, { count: 40 })
  const id = await addCampaign(pg, tenant)
  await pg.query('update campaigns set rate_max = 5 where id = $1', [id])
  await startMail(sink.url)
  await waitUntil('the first emails', async () => emails.length >= 5)
  // A campaign may send at most the emails of one second at once: far from all of them.
  expect(emails.length).toBeLessThan(25)
  await pg.query("update campaigns set state = 'paused', rate_max = null where id = $1", [id])
  await waitUntil('the end of what was marked', async () => {
    const { rows } = await pg.query<{ count: number }>(
      "select count(*) as count from deliveries where campaign_id = $1 and state = 'handed_over'",
      [id],
    )
    return rows[0]?.count === 0
  })
  const before = emails.length
  await pg.query(
    "update contacts set status = 'unsubscribed' where id in (select contact_id from deliveries where campaign_id = $1 and state <> 'sent')",
    [id],
  )
  await pg.query("update campaigns set state = 'sending' where id = $1", [id])
  await pg.query("select pg_notify('campaigns', '')")
  await waitUntil('the end', async () => (await readAccounting(pg, id)).state === 'sent')
  expect(emails).toHaveLength(before)
  expect(await readAccounting(pg, id)).toMatchObject({
    sent: before,
    skipped: 40 - before,
    waiting: 0,
  })
})

test('emails of a domain with an invalid key stay in the queue and are not sent unsigned', async () => {
  const { emails, sink } = await begin()
  await pg.query(
    `insert into sending_domains (id, organization_id, domain, selector, sealed_key, public_key, state, owned_at)
       values (uuidv7(), $1, 'sender.test', 's1', '\\x00', '', 'verified', now())`,
    [tenant.organizationId],
  )
  await startMail(sink.url)
  const { id } = await addSend('held@reader.test')
  const held = await waitUntil('the reason', async () => {
    const now = await stateOf(id)
    return now.reason === null ? undefined : now
  })
  expect(held).toMatchObject({ state: 'queued', reason: expect.stringContaining('DKIM key') })
  expect(emails).toEqual([])
})

test.each(['pending', 'failed'])(
  'emails of a %s domain leave unsigned, with the From address as sender',
  async (state) => {
    const { emails, sink } = await begin()
    // The key cannot be opened, so an attempt to sign would hold the email.
    await pg.query(
      `insert into sending_domains (id, organization_id, domain, selector, sealed_key, public_key, state)
       values (uuidv7(), $1, 'sender.test', 's1', '\\x00', '', $2)`,
      [tenant.organizationId, state],
    )
    await startMail(sink.url)
    const { id } = await addSend('plain@reader.test')
    await waitUntil('the email', async () => (await stateOf(id)).state === 'sent')
    expect(emails).toMatchObject([{ from: expect.stringContaining('@sender.test') }])
    expect(emails[0]?.from).not.toContain('bounces.')
    expect(JSON.stringify(emails)).not.toContain('DKIM-Signature')
  },
)

test('emails that a lost process had claimed are queued again, and those it had handed over are uncertain', async () => {
  const { emails, sink } = await begin()
  const claimed = await addSend('claimed@reader.test')
  const marked = await addSend('gone@reader.test')
  await pg.query(
    `update sends set claimed_by = uuidv7(), attempt = 1, lease_until = now() - interval '1 second',
       state = case id when $1 then 'claimed' else 'handed_over' end where id in ($1, $2)`,
    [claimed.id, marked.id],
  )
  await startMail(sink.url)
  await waitUntil('the email', async () => (await stateOf(claimed.id)).state === 'sent')
  expect(await stateOf(marked.id)).toMatchObject({ state: 'uncertain', reason: 'process_lost' })
  expect(emails.map(({ to }) => to)).toEqual(['claimed@reader.test'])
})
