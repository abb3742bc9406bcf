import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import { createMailMetrics } from '../mail-metrics.ts'
import { reportEmailQueue } from './email-queue-metrics.ts'
import { countWaitingEmails, isFirstMailProcess } from './email-queue-store.ts'

let pool: Pool
let url: string
let organization: string
let newsletter: string
let address: string
usePostgres(({ pg: given, stores }) => {
  pool = given
  url = stores.postgresUrl
})
let sessions: pg.Client[] = []

beforeEach(async () => {
  await pool.query('delete from sends; delete from campaigns')
  organization = uuidv7()
  newsletter = uuidv7()
  address = uuidv7()
  await pool.query(`insert into organizations (id, name) values ($1, 'A')`, [organization])
  await pool.query(
    `insert into newsletters (id, organization_id, slug, name, from_address) values ($1, $2, $3, 'T', 'a@b.test')`,
    [newsletter, organization, `queue-${newsletter}`],
  )
  await pool.query(
    `insert into addresses (id, organization_id, email_key, email) values ($1, $2, 'a@b.test', 'a@b.test')`,
    [address, organization],
  )
})

afterEach(async () => {
  await Promise.all(sessions.map((session) => session.end()))
  sessions = []
})

async function addSend(
  priority: number,
  createdSecondsAgo: number,
  fields = { state: 'queued', due: true },
) {
  await pool.query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, state, created_at, not_before)
     values ($1, $2, $3, 'transactional', $4, 'a', 'b', 's', 't', $5, now() - make_interval(secs => $6),
       now() + case when $7 then make_interval(secs => -$6) else interval '5 minutes' end)`,
    [uuidv7(), organization, address, priority, fields.state, createdSecondsAgo, fields.due],
  )
}

async function addCampaign(state: string, deliveries: number): Promise<void> {
  const campaign = uuidv7()
  await pool.query(
    `insert into campaigns (id, organization_id, newsletter_id, state, subject, markdown, archive_slug, sent_at)
     values ($1, $2, $3, $4, 's', 'm', $5, now() - interval '1 hour')`,
    [campaign, organization, newsletter, state, campaign],
  )
  for (let at = 0; at < deliveries; at += 1) {
    await pool.query(
      `insert into deliveries (campaign_id, contact_id, address_id) values ($1, $2, $3)`,
      [campaign, uuidv7(), address],
    )
  }
}

/** A running mail process, as mail-session.ts locks it. */
async function startSession(processId: string): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  sessions.push(session)
  await session.query('select pg_advisory_lock(8037, hashtext($1::uuid::text))', [processId])
}

test('nothing waits: every lane has zeros', async () => {
  expect(await countWaitingEmails(pool)).toEqual(
    ['urgent', 'notifications', 'campaigns'].map((lane) => ({
      lane,
      waiting: 0,
      oldestSeconds: 0,
    })),
  )
})

test('emails that a process holds while the mail server is away are counted', async () => {
  await addSend(2, 700, { state: 'claimed', due: true })
  await addSend(2, 60)
  const [, notifications] = await countWaitingEmails(pool)
  expect(notifications).toMatchObject({ waiting: 2 })
  expect(notifications!.oldestSeconds).toBeGreaterThanOrEqual(700)
})

test('first attempts in blocks are counted, claimed or not', async () => {
  await addCampaign('sending', 2)
  const { rows } = await pool.query(
    `with waiting as (
       update deliveries set state = 'claimed' where campaign_id in
         (select id from campaigns where state = 'sending') returning campaign_id
     )
     insert into campaign_counts (campaign_id, audience, waiting)
       select campaign_id, 5, 2 from waiting limit 1 returning campaign_id`,
  )
  const [, , campaigns] = await countWaitingEmails(pool)
  expect(campaigns).toMatchObject({ waiting: 2 })
  await pool.query(
    `insert into deliveries (campaign_id, contact_id, address_id, not_before) values ($1, $2, $3, now() + interval '1 hour')`,
    [rows[0].campaign_id, uuidv7(), address],
  )
  await pool.query('update campaign_counts set waiting = 3')
  expect((await countWaitingEmails(pool))[2]).toMatchObject({ waiting: 2 })
})

test('due emails are counted by lane; deferred, finished and paused ones are not', async () => {
  await addSend(0, 100)
  await addSend(1, 900)
  await addSend(1, 5_000, { state: 'queued', due: false })
  await addSend(2, 30, { state: 'sent', due: true })
  await addCampaign('sending', 3)
  await addCampaign('sending', 0)
  await addCampaign('paused', 2)
  const [urgent, notifications, campaigns] = await countWaitingEmails(pool)
  expect(urgent).toMatchObject({ lane: 'urgent', waiting: 2 })
  expect(urgent!.oldestSeconds).toBeGreaterThanOrEqual(900)
  expect(urgent!.oldestSeconds).toBeLessThan(4_000)
  expect(notifications).toMatchObject({ waiting: 0, oldestSeconds: 0 })
  expect(campaigns).toMatchObject({ waiting: 3 })
  expect(campaigns!.oldestSeconds).toBeGreaterThanOrEqual(3_600)
})

test('of several mail processes exactly one reports, and another one when it ends', async () => {
  await addSend(0, 100)
  const processes = [uuidv7(), uuidv7(), uuidv7()].map((processId) => ({
    processId,
    metrics: createMailMetrics({
      connectionsOpen: () => 0,
      emailsOnWire: () => 0,
      isSmtpAway: () => false,
    }),
  }))
  for (const { processId } of processes) await startSession(processId)
  const sum = async () => {
    let waiting = 0
    for (const { processId, metrics } of processes) {
      await reportEmailQueue({ pg: pool, processId, metrics })
      for (const { labels, value } of (await metrics.emailsWaiting.get()).values) {
        if (labels.lane === 'urgent') waiting += value
      }
    }
    return waiting
  }
  expect(await sum()).toBe(1)
  const first = await Promise.all(processes.map((one) => isFirstMailProcess(pool, one.processId)))
  await sessions[first.indexOf(true)]!.end()
  sessions = sessions.filter((_, at) => at !== first.indexOf(true))
  await expect.poll(sum).toBe(1)
})

test('all parts read an index, also with many finished emails', async () => {
  await pool.query(
    `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, state, finished_at)
     select gen_random_uuid(), $1, $2, 'transactional', 1, 'a', 'b', 's', 't', 'sent', now() from generate_series(1, 20000)`,
    [organization, address],
  )
  await addCampaign('sending', 100)
  await pool.query('analyze sends, deliveries, campaigns')
  const client = await pool.connect()
  try {
    const plans: string[] = []
    const explaining = {
      query: async (text: string) => {
        const { rows } = await client.query(`explain ${text}`)
        plans.push(...rows.map((row) => row['QUERY PLAN']))
        return { rows: [] }
      },
    }
    await countWaitingEmails(explaining as unknown as Pool)
    expect(plans.join('\n')).toContain('sends_waiting')
    expect(plans.join('\n')).not.toContain('Seq Scan on sends')
  } finally {
    client.release()
  }
})
