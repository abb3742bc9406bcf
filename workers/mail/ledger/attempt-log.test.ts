/** The log of attempts of single emails and of deliveries, as the mailer writes it. */
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { attemptsKeptMax, type StoredAttempt } from '#schemas/mail/delivery-attempt.ts'
import { type RunningMail, startMail } from '../../../test/fixtures/notifications/start-mail.ts'
import { usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import { waitUntil } from '../../../test/fixtures/processes/wait-until.ts'
import {
  addCampaign,
  addContacts,
  addMailTenant,
  type MailTenant,
  readAccounting,
} from '../../../test/mailkill/mail-fixture.ts'

let pg: Pool
let postgresUrl: string
usePostgres((fixture) => {
  pg = fixture.pg
  postgresUrl = fixture.stores.postgresUrl
})

let tenant: MailTenant
let mail: RunningMail | undefined
beforeEach(async () => {
  tenant = await addMailTenant(pg)
})
afterEach(async () => {
  await mail?.stop()
  mail = undefined
})

async function addSend(log: object[] | null = null): Promise<string> {
  const id = uuidv7()
  const to = `${id}@contacts.test`
  await pg.query(
    `with mailbox as (
       insert into addresses (id, organization_id, email, email_key) values (gen_random_uuid(), $2, $3, $3) returning id
     )
     insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, attempt_log)
     select $1, $2, id, 'transactional', 1, 'news@sender.test', $3, 'Hello', 'Hello', $4 from mailbox`,
    [id, tenant.organizationId, to, log === null ? null : JSON.stringify(log)],
  )
  await pg.query("select pg_notify('sends', '')")
  return id
}

async function logOf(table: 'sends' | 'deliveries', where: string): Promise<StoredAttempt[]> {
  const { rows } = await pg.query(`select attempt_log as log from ${table} where ${where}`)
  return rows[0]?.log ?? []
}

async function hasState(table: 'sends' | 'deliveries', where: string, state: string) {
  await waitUntil(`the state ${state}`, async () => {
    const { rows } = await pg.query(`select state from ${table} where ${where}`)
    return rows[0]?.state === state
  })
}

/** Refuses the first `times` RCPT commands with the reply. */
function refusing(reply: string, times = 1) {
  let left = times
  return {
    fault: (phase: string) => {
      if (phase !== 'rcpt' || left === 0) return undefined
      left -= 1
      return { kind: 'reply', reply } as const
    },
  }
}

test('an email that is deferred once and then accepted has both replies', async () => {
  mail = await startMail(pg, postgresUrl, refusing('450 4.2.0 greylisted\0, try \u001b[31m later'))
  const id = await addSend()
  await hasState('sends', `id = '${id}'`, 'sent')
  const log = await logOf('sends', `id = '${id}'`)
  expect(log).toMatchObject([
    {
      no: 1,
      result: 'deferred',
      phase: 'rcpt',
      code: 450,
      enhanced: '4.2.0',
      text: 'greylisted, try [31m later',
    },
    { no: 2, result: 'sent', code: 250 },
  ])
  expect(log[0]?.server).toMatch(/^127\.0\.0\.1:\d+$/)
  expect(log[0]).not.toHaveProperty('tls')
})

test('so has a delivery of a campaign, and the counts add up', async () => {
  await addContacts(pg, tenant, { count: 3 })
  mail = await startMail(pg, postgresUrl, refusing('451 4.7.1 come back'))
  const campaignId = await addCampaign(pg, tenant)
  await waitUntil('the end', async () => (await readAccounting(pg, campaignId)).state === 'sent')
  const { rows } = await pg.query<{ log: StoredAttempt[] }>(
    'select attempt_log as log from deliveries where campaign_id = $1 order by jsonb_array_length(attempt_log)',
    [campaignId],
  )
  expect(rows.map(({ log }) => log.map(({ no, result, code }) => [no, result, code]))).toEqual([
    [[1, 'sent', 250]],
    [[1, 'sent', 250]],
    [
      [1, 'deferred', 451],
      [2, 'sent', 250],
    ],
  ])
})

test('of many attempts the newest are kept, oldest first', async () => {
  const old = Array.from({ length: attemptsKeptMax }, (_, no) => ({ no, text: 'old' }))
  const id = await addSend(old)
  mail = await startMail(pg, postgresUrl, refusing('450 not yet'))
  await hasState('sends', `id = '${id}'`, 'sent')
  const log = await logOf('sends', `id = '${id}'`)
  expect(log.map(({ text }) => text.slice(0, 7))).toEqual([
    ...Array.from({ length: attemptsKeptMax - 2 }, () => 'old'),
    'not yet',
    expect.any(String),
  ])
})

test('a mailer of the previous version settles deliveries without attempts', async () => {
  await addContacts(pg, tenant, { count: 1 })
  const campaignId = await addCampaign(pg, tenant)
  const process = uuidv7()
  await pg.query(
    `insert into deliveries (campaign_id, contact_id, address_id, state, attempt, claimed_by)
       select $1, id, address_id, 'handed_over', 1, $2 from contacts where newsletter_id = $3`,
    [campaignId, process, tenant.newsletterId],
  )
  const { rows } = await pg.query(
    `select settle_deliveries($1, $2, array_agg(contact_id), array_agg(address_id), array_agg(attempt), '{sent}', '{null}', '{0}') as settled
       from deliveries where campaign_id = $1`,
    [campaignId, process],
  )
  expect(rows).toEqual([{ settled: 1 }])
  expect(await logOf('deliveries', `campaign_id = '${campaignId}'`)).toEqual([])
})
