/**
 * Retention of emails: transactional emails and deliveries are deleted 90 days after they ended;
 * their counts stay.
 */
import type { Pool } from '#platform/postgres.ts'
import { emailDays } from '#schemas/retention/email-policies.ts'
import { retentionVariables } from '#schemas/retention/policy.ts'
import {
  batchOf,
  type DeleteBatch,
  deleteInBatches,
  type ReportExpired,
} from '../delete-in-batches.ts'

const dayMs = 24 * 3_600_000
const keptMs = emailDays * dayMs

const hitDaysDefault = retentionVariables.emailEvents.days

export interface ExpireEmails {
  readonly signal?: AbortSignal
  /** Days that opens and clicks are kept; then only the number of clicks of each link is. */
  readonly hitDays?: number
  readonly report?: ReportExpired
}

/** Returns how many emails were deleted. */
export async function expireEmails(
  pg: Pool,
  now: Date,
  { signal, hitDays = hitDaysDefault, report = () => undefined }: ExpireEmails = {},
): Promise<number> {
  const before = new Date(now.getTime() - keptMs)
  const sends = await deleteInBatches(deleteSends, pg, before, signal)
  const deliveries = await deleteInBatches(deleteDeliveries, pg, before, signal)
  await deleteInBatches(anonymizeHits, pg, before, signal)
  const hitsBefore = new Date(now.getTime() - hitDays * dayMs)
  const hits = await deleteInBatches(deleteHits, pg, hitsBefore, signal)
  report('sends', sends)
  report('deliveries', deliveries)
  report('tracking_hits', hits)
  return sends + deliveries
}

/** Single emails, with their content. */
const deleteSends = batchOf(
  `delete from sends where id in
       (select id from sends where finished_at < $1 order by finished_at limit $2 for update skip locked)`,
)

/** The recipients of a campaign. Its sums stay in campaign_counts. */
const deleteDeliveries = batchOf(
  `delete from deliveries d using (
       select campaign_id, contact_id from deliveries where campaign_id in (
         select id from campaigns where finished_at < $1 and state in ('sent', 'cancelled', 'failed')
       ) limit $2 for update skip locked
     ) old where d.campaign_id = old.campaign_id and d.contact_id = old.contact_id`,
)

/** Opens and clicks stay as counts, without who they were. */
const anonymizeHits = batchOf(
  `update tracking_hits set contact_id = null, user_agent = null where id in
       (select id from tracking_hits where at < $1 and contact_id is not null order by at limit $2 for update skip locked)`,
)

/**
 * Anonymous hits. The clicks of their links are added up in the same statement, because the
 * reports of old campaigns show them.
 */
const deleteHits: DeleteBatch = async (pg, { before, rowsMax }) => {
  const { rows } = await pg.query<{ count: number }>(
    `with gone as (
       delete from tracking_hits where id = any(array(
         select id from tracking_hits where at < $1 and contact_id is null
         order by at limit $2 for update skip locked))
       returning campaign_id, link_index, kind, machine
     ), clicks as (
       select campaign_id, link_index, count(*) as total, count(*) filter (where machine) as by_machine
       from gone where kind = 'click' and link_index is not null group by campaign_id, link_index
     ), kept as (
       update campaign_links link set expired_clicks = expired_clicks + total,
         expired_clicks_machine = expired_clicks_machine + by_machine
       from clicks where link.campaign_id = clicks.campaign_id and link.link_index = clicks.link_index
     )
     select count(*)::int as count from gone`,
    [before, rowsMax],
  )
  return rows[0]?.count ?? 0
}
