/**
 * Retention of emails: transactional emails and deliveries are deleted 90 days after they ended;
 * their counts stay.
 */
import type { Pool } from '#platform/postgres.ts'
import { batchOf, deleteInBatches } from '../delete-in-batches.ts'

const dayMs = 24 * 3_600_000
const keptMs = 90 * dayMs

/** Returns how many emails were deleted. */
export async function expireEmails(pg: Pool, now: Date, signal?: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - keptMs)
  const sends = await deleteInBatches(deleteSends, pg, before, signal)
  const deliveries = await deleteInBatches(deleteDeliveries, pg, before, signal)
  await deleteInBatches(anonymizeHits, pg, before, signal)
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
