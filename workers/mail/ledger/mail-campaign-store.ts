/**
 * State of campaigns as the mail process changes it: scheduled -> preparing -> sending -> sent, and
 * paused if something is wrong.
 */
import { inTransaction, type Pool } from '#platform/postgres.ts'
import type { Mailbox } from '#schemas/mail/mailbox.ts'

export interface SendingCampaign {
  readonly id: string
  readonly organizationId: string
  readonly newsletterId: string
  readonly rateMax: number | null
  readonly warmUp: boolean
  readonly sentAt: Date | null
  readonly settled: number
  readonly waiting: number
}

export async function listSending(pg: Pool): Promise<SendingCampaign[]> {
  const { rows } = await pg.query<SendingCampaign>(
    `select c.id, c.organization_id as "organizationId", c.newsletter_id as "newsletterId", c.rate_max as "rateMax",
       c.warm_up as "warmUp", c.sent_at as "sentAt", n.sent + n.failed + n.uncertain as settled, n.waiting
       from campaigns c join campaign_counts n on n.campaign_id = c.id
       where c.state = 'sending' order by c.sent_at, c.id limit 1000`,
  )
  return rows
}

export async function readFrozen(pg: Pool, campaignId: string): Promise<unknown> {
  const { rows } = await pg.query<{ compiled: unknown }>(
    'select compiled from campaigns where id = $1',
    [campaignId],
  )
  return rows[0]?.compiled
}

/**
 * Starts due campaigns. A campaign that is more than a day late, because no process ran, waits
 * until a person confirms it.
 */
export async function beginDue(pg: Pool): Promise<number> {
  const { rowCount } = await pg.query(
    `update campaigns set state = 'preparing', updated_at = now(), reason = null
       where state = 'scheduled' and scheduled_at <= now() and scheduled_at > now() - interval '24 hours'`,
  )
  await pg.query(
    `update campaigns set reason = 'Its time passed more than a day ago while nothing was sent: schedule it again, or send it now.',
         updated_at = now()
       where state = 'scheduled' and scheduled_at <= now() - interval '24 hours' and reason is null`,
  )
  return rowCount ?? 0
}

export async function listPreparing(pg: Pool): Promise<string[]> {
  const { rows } = await pg.query<{ id: string }>(
    `select id from campaigns where state = 'preparing' order by updated_at limit 100`,
  )
  return rows.map((row) => row.id)
}

const contactsPerStep = 10_000
/** A process claims at most one block at a time. */
export const deliveriesPerBlock = 500

/**
 * One step of filling the ledger: the next contacts by id, so that it continues after a crash. The
 * deliveries are in blocks, which is what `claimed` without a process means.
 * `other`: another process prepares the campaign, or it is no longer to be prepared.
 */
export async function prepareStep(
  pg: Pool,
  campaignId: string,
): Promise<'more' | 'done' | 'other'> {
  return inTransaction(pg, async (client) => {
    const { rows } = await client.query<{ newsletter_id: string; prepared_up_to: string | null }>(
      `select newsletter_id, prepared_up_to from campaigns where id = $1 and state = 'preparing' for update skip locked`,
      [campaignId],
    )
    const [campaign] = rows
    if (campaign === undefined) return 'other'
    await client.query(
      'insert into campaign_counts (campaign_id) values ($1) on conflict do nothing',
      [campaignId],
    )
    const added = await client.query<{ last: string | null; added: number }>(
      `with recipients as (
         select id, address_id from contacts
           where newsletter_id = $2 and status = 'subscribed' and ($3::uuid is null or id > $3)
           order by id limit $4
       ), added as (
         insert into deliveries (campaign_id, contact_id, address_id, state) select $1, id, address_id, 'claimed' from recipients
           on conflict do nothing returning contact_id
       ), blocks as (
         select (array_agg(contact_id order by contact_id desc))[1] as last from (
           select contact_id, (row_number() over (order by contact_id) - 1) / ${deliveriesPerBlock} as no from added
         ) numbered group by no
       ), blocked as (
         insert into delivery_blocks (campaign_id, after_contact, last_contact)
           select $1, coalesce(lag(last) over (order by last), $3, '00000000-0000-0000-0000-000000000000'), last from blocks
       )
       select (select id from recipients order by id desc limit 1) as last, (select count(*) from added) as added`,
      [campaignId, campaign.newsletter_id, campaign.prepared_up_to, contactsPerStep],
    )
    const { last, added: count } = added.rows[0] ?? { last: null, added: 0 }
    if (last === null) {
      await client.query(
        `update campaigns set state = 'sending', sent_at = coalesce(sent_at, now()), updated_at = now() where id = $1`,
        [campaignId],
      )
      return 'done'
    }
    await client.query(
      'update campaign_counts set audience = audience + $2, waiting = waiting + $2 where campaign_id = $1',
      [campaignId, count],
    )
    await client.query('update campaigns set prepared_up_to = $2 where id = $1', [campaignId, last])
    return 'more'
  })
}

/**
 * Updates the statistics of the table. Without them the planner might read a million rows for the
 * first five hundred.
 */
export async function analyzeDeliveries(pg: Pool): Promise<void> {
  await pg.query('analyze deliveries')
}

/** Whether nothing is left to do. */
export async function finishCampaign(pg: Pool, campaignId: string): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update campaigns c set state = 'sent', finished_at = now(), updated_at = now(), reason = null
       from campaign_counts n
       where c.id = $1 and c.state = 'sending' and n.campaign_id = c.id and n.waiting = 0`,
    [campaignId],
  )
  return rowCount === 1
}

/**
 * Pauses a campaign that is being sent, and emails the owners of its organization; false if it was
 * not being sent.
 */
export async function pauseCampaign(
  pg: Pool,
  pause: { campaignId: string; reason: string; from: Mailbox },
): Promise<boolean> {
  const { rowCount } = await pg.query(
    `with paused as (
       update campaigns set state = 'paused', reason = $2, updated_at = now() where id = $1 and state = 'sending'
         returning id, organization_id, subject
     ), owners as (
       select p.organization_id, p.subject, o.email, lower(o.email) as key from paused p
         join memberships m on m.organization_id = p.organization_id and m.role = 'owner' join people o on o.id = m.person_id
         limit 20
     ), known as (
       insert into addresses (id, organization_id, email_key, email) select uuidv7(), organization_id, key, email from owners
         on conflict (organization_id, email_key) do update set email = coalesce(addresses.email, excluded.email)
         returning id, organization_id, email
     ), told as (
       insert into sends (id, organization_id, address_id, kind, priority, from_address, from_name, to_address, subject, text, headers)
         select uuidv7(), k.organization_id, k.id, 'system', 0, $3, $4, k.email, 'Paused: ' || p.subject,
             'The campaign “' || p.subject || '” was paused automatically.' || E'\\n\\n' || $2 || E'\\n\\n'
               || 'Emails that were not sent yet stay in the queue. Fix the cause and then resume the campaign.' || E'\\n',
             '{"Auto-Submitted": "auto-generated"}'
           from known k, paused p returning 1
     ), woken as (select pg_notify('sends', '') from (select 1 from told limit 1) one)
     select p.id from paused p left join woken on true`,
    [pause.campaignId, pause.reason, pause.from.email, pause.from.name],
  )
  return (rowCount ?? 0) > 0
}

/** Cancels the rest of ledgers that were too large to be cancelled in one statement. */
export async function cancelLeftOvers(pg: Pool): Promise<void> {
  const { rows } = await pg.query<{ id: string }>(
    `select c.id from campaigns c join campaign_counts n on n.campaign_id = c.id
       where c.state = 'cancelled' and n.waiting > 0 limit 100`,
  )
  for (const { id } of rows)
    await pg.query('select cancel_deliveries($1, $2)', [id, contactsPerStep])
}
