import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { expireEmails } from './email-retention.ts'

let pg: Pool
usePostgres((fixture) => {
  pg = fixture.pg
})

const now = new Date('2026-11-21T01:30:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

test('emails that ended 90 days ago are deleted and their counts stay; waiting ones are kept', async () => {
  const [organization, newsletter, address] = [uuidv7(), uuidv7(), uuidv7()]
  await pg.query(`insert into organizations (id, name) values ($1, 'A')`, [organization])
  await pg.query(
    `insert into newsletters (id, organization_id, slug, name, from_address) values ($1, $2, 'tidy', 'T', 'a@b.test')`,
    [newsletter, organization],
  )
  await pg.query(
    `insert into addresses (id, organization_id, email_key, email) values ($1, $2, 'a@b.test', 'a@b.test')`,
    [address, organization],
  )
  for (const finished of [daysAgo(90.1), daysAgo(89.9), null]) {
    await pg.query(
      `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, finished_at)
       values ($1, $2, $3, 'transactional', 1, 'a', 'b', 's', 't', $4)`,
      [uuidv7(), organization, address, finished],
    )
  }
  for (const [state, finished] of [
    ['sent', daysAgo(90.1)],
    ['sent', daysAgo(89.9)],
    ['paused', null],
  ] as const) {
    const campaign = uuidv7()
    await pg.query(
      `insert into campaigns (id, organization_id, newsletter_id, state, subject, markdown, archive_slug, finished_at)
       values ($1, $2, $3, $4, 's', 'm', $5, $6)`,
      [campaign, organization, newsletter, state, campaign, finished],
    )
    await pg.query(`insert into campaign_counts (campaign_id, audience, sent) values ($1, 1, 1)`, [
      campaign,
    ])
    await pg.query(
      `insert into deliveries (campaign_id, contact_id, address_id, state) values ($1, $2, $3, 'sent')`,
      [campaign, uuidv7(), address],
    )
    await pg.query(
      `insert into tracking_hits (campaign_id, contact_id, kind, machine, user_agent, at) values ($1, $2, 'open', false, 'x', $3)`,
      [campaign, uuidv7(), finished ?? now],
    )
  }

  expect(await expireEmails(pg, now)).toBe(2)
  expect(await expireEmails(pg, now)).toBe(0)
  const { rows } = await pg.query(
    `select (select count(*)::int from sends) as sends, (select count(*)::int from deliveries) as deliveries,
            (select sum(sent)::int from campaign_counts) as counted, (select count(*)::int from tracking_hits) as hits,
            (select count(contact_id)::int from tracking_hits) as contacts`,
  )
  expect(rows).toEqual([{ sends: 2, deliveries: 2, counted: 3, hits: 3, contacts: 2 }])
})
