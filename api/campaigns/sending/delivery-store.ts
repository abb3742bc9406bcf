/**
 * Queries behind sending a campaign: its state, its rate, and its deliveries. The mail process has
 * its own in `workers/mail/ledger/`.
 */
import type { DeliveryState } from '#schemas/rest/email/sending.ts'
import type { Database } from '../../database.ts'

/** Notifies the mail processes, which then read campaigns again. */
async function notifyMailers(pg: Database): Promise<void> {
  await pg.query("select pg_notify('campaigns', '')")
}

export interface SendingStart {
  readonly id: string
  /** Null to send now. */
  readonly scheduledAt: Date | null
  readonly rateMax: number | null
  readonly warmUp: boolean
}

/** Returns false if the campaign is neither a draft nor scheduled. */
export async function beginSending(pg: Database, start: SendingStart): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update campaigns set state = case when $2::timestamptz is null then 'preparing' else 'scheduled' end, scheduled_at = $2,
         rate_max = $3, warm_up = $4, reason = null, prepared_up_to = null, updated_at = now()
       where id = $1 and state in ('draft', 'scheduled')`,
    [start.id, start.scheduledAt, start.rateMax, start.warmUp],
  )
  await pg.query('insert into campaign_counts (campaign_id) values ($1) on conflict do nothing', [
    start.id,
  ])
  await notifyMailers(pg)
  return rowCount === 1
}

export async function pauseSending(pg: Database, id: string): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update campaigns set state = 'paused', reason = null, updated_at = now()
       where id = $1 and state in ('preparing', 'sending')`,
    [id],
  )
  await notifyMailers(pg)
  return rowCount === 1
}

/** The From address that the campaign was frozen with; undefined when it is not frozen. */
export async function findFrozenFrom(pg: Database, id: string): Promise<string | undefined> {
  const { rows } = await pg.query<{ address: string | null }>(
    `select compiled->>'fromAddress' as address from campaigns where id = $1`,
    [id],
  )
  return rows[0]?.address ?? undefined
}

/** A campaign whose deliveries were not all created when it was paused creates the rest first. */
export async function resumeSending(pg: Database, id: string): Promise<boolean> {
  const { rowCount } = await pg.query(
    `update campaigns set state = case when sent_at is null then 'preparing' else 'sending' end, reason = null, updated_at = now()
       where id = $1 and state = 'paused'`,
    [id],
  )
  await notifyMailers(pg)
  return rowCount === 1
}

export async function setSendingRate(
  pg: Database,
  { id, rateMax }: { id: string; rateMax: number | null },
): Promise<void> {
  await pg.query('update campaigns set rate_max = $2, updated_at = now() where id = $1', [
    id,
    rateMax,
  ])
  await notifyMailers(pg)
}

const cancelledAtOnceMax = 10_000

/**
 * The mail process cancels the rest of a large campaign. A scheduled campaign becomes a draft
 * again.
 */
export async function cancelSending(
  pg: Database,
  id: string,
): Promise<'draft' | 'cancelled' | 'no'> {
  const { rows } = await pg.query<{ state: 'draft' | 'cancelled' }>(
    `update campaigns set state = case when state = 'scheduled' then 'draft' else 'cancelled' end, scheduled_at = null,
         finished_at = case when state = 'scheduled' then null else now() end, reason = null, updated_at = now()
       where id = $1 and state in ('scheduled', 'preparing', 'sending', 'paused') returning state`,
    [id],
  )
  const state = rows[0]?.state
  if (state === undefined) return 'no'
  if (state === 'cancelled') {
    await pg.query('select cancel_deliveries($1, $2)', [id, cancelledAtOnceMax])
    await notifyMailers(pg)
  }
  return state
}

/** Returns how many deliveries are sent again; a campaign that had ended is sending again. */
export async function requeueDeliveries(
  pg: Database,
  again: { id: string; state: 'uncertain' | 'failed'; contactIds: readonly string[] | null },
): Promise<number> {
  const { rows } = await pg.query<{ done: number }>(
    'select requeue_deliveries($1, $2, $3) as done',
    [again.id, again.state, again.contactIds],
  )
  const done = rows[0]?.done ?? 0
  if (done > 0) {
    await pg.query(
      `update campaigns set state = 'sending', finished_at = null, updated_at = now() where id = $1 and state = 'sent'`,
      [again.id],
    )
    await notifyMailers(pg)
  }
  return done
}

export interface SendingAccounting {
  readonly state: string
  readonly reason: string | null
  readonly scheduledAt: Date | null
  readonly sentAt: Date | null
  readonly finishedAt: Date | null
  readonly rateMax: number | null
  readonly transportRateMax: number | null
  readonly warmUp: boolean
  /** Recent rate in emails per second; null if none was sent in the last 30 seconds. */
  readonly rate: number | null
  readonly audience: number
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly uncertain: number
  readonly cancelled: number
  readonly bounced: number
  readonly complained: number
}

export async function readSending(
  pg: Database,
  id: string,
): Promise<SendingAccounting | undefined> {
  const { rows } = await pg.query<SendingAccounting>(
    `select c.state, c.reason, c.scheduled_at as "scheduledAt", c.sent_at as "sentAt", c.finished_at as "finishedAt",
       c.rate_max as "rateMax", t.rate_max as "transportRateMax", c.warm_up as "warmUp",
       case when n.rate_from > now() - interval '30 seconds' then coalesce(n.rate,
         n.rate_count / greatest(1, extract(epoch from now() - n.rate_from))) end::float8 as rate,
       coalesce(n.audience, 0) as audience, coalesce(n.waiting, 0) as waiting, coalesce(n.sent, 0) as sent,
       coalesce(n.failed, 0) as failed, coalesce(n.skipped, 0) as skipped, coalesce(n.uncertain, 0) as uncertain,
       coalesce(n.cancelled, 0) as cancelled, coalesce(n.bounced, 0) as bounced, coalesce(n.complained, 0) as complained
     from campaigns c left join campaign_counts n on n.campaign_id = c.id
       left join mail_transports t on t.name = 'default'
     where c.id = $1`,
    [id],
  )
  return rows[0]
}

export interface StoredDelivery {
  readonly contactId: string
  readonly email: string | null
  readonly name: string | null
  readonly state: DeliveryState
  readonly reason: string | null
  readonly attempts: number
  readonly handedOverAt: Date | null
  readonly finishedAt: Date | null
}

/** A delivery that waits in a block is queued (schemas/postgres/0068-delivery-blocks.sql). */
const shownState = `case when d.state = 'claimed' and d.claimed_by is null then 'queued' else d.state end`
const deliveryColumns = `d.contact_id as "contactId", a.email, c.name, ${shownState} as state, d.reason, d.tries as attempts,
  d.handed_over_at as "handedOverAt", d.finished_at as "finishedAt"`
const deliveryRows =
  'deliveries d left join contacts c on c.id = d.contact_id left join addresses a on a.id = d.address_id'

/** Lists deliveries in the order of contact ids, so that pages stay stable while states change. */
export async function listDeliveries(
  pg: Database,
  list: {
    campaignId: string
    state: DeliveryState | undefined
    search: string | undefined
    after: string | undefined
    rowsMax: number
  },
): Promise<StoredDelivery[]> {
  const { rows } = await pg.query<StoredDelivery>(
    `select ${deliveryColumns} from ${deliveryRows}
     where d.campaign_id = $1 and ($2::text is null or ${shownState} = $2) and ($3::text is null or strpos(a.email_key, lower($3)) > 0)
       and ($4::uuid is null or d.contact_id > $4)
     order by d.contact_id limit $5`,
    [list.campaignId, list.state ?? null, list.search ?? null, list.after ?? null, list.rowsMax],
  )
  return rows
}

export interface StoredDeliveryDetail extends StoredDelivery {
  readonly notBefore: Date | null
  /** As stored: `attemptViews` reads it. */
  readonly attemptLog: unknown
}

export async function findDelivery(
  pg: Database,
  { campaignId, contactId }: { campaignId: string; contactId: string },
): Promise<StoredDeliveryDetail | undefined> {
  const { rows } = await pg.query<StoredDeliveryDetail>(
    `select ${deliveryColumns}, d.not_before as "notBefore", d.attempt_log as "attemptLog" from ${deliveryRows}
     where d.campaign_id = $1 and d.contact_id = $2`,
    [campaignId, contactId],
  )
  return rows[0]
}

export async function readTransportRate(pg: Database): Promise<number | null> {
  const { rows } = await pg.query<{ rate_max: number | null }>(
    "select rate_max from mail_transports where name = 'default'",
  )
  return rows[0]?.rate_max ?? null
}

/** Sets the limit of all campaigns together, in emails per second; null removes it. */
export async function setTransportRate(pg: Database, rateMax: number | null): Promise<void> {
  await pg.query(
    `insert into mail_transports (name, rate_max) values ('default', $1)
       on conflict (name) do update set rate_max = excluded.rate_max, tokens = 0, refilled_at = now()`,
    [rateMax],
  )
}
