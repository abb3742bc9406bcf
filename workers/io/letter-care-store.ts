/** What may be forgotten of letters, some rows at a time; each says how many there were, so that the caller can go on. */
import type { Pool } from '#platform/postgres.ts'
import type { Forgetting } from './contact-care-store.ts'

/** Single letters whose fate was decided, words and all. */
export async function forgetSends(pg: Pool, { before, rowsMax }: Forgetting): Promise<number> {
  const { rowCount } = await pg.query(
    `delete from sends where id in
       (select id from sends where finished_at < $1 order by finished_at limit $2 for update skip locked)`,
    [before, rowsMax],
  )
  return rowCount ?? 0
}

/** Who got which campaign. Its sums stay in campaign_counts. */
export async function forgetDeliveries(pg: Pool, { before, rowsMax }: Forgetting): Promise<number> {
  const { rowCount } = await pg.query(
    `delete from deliveries d using (
       select campaign_id, contact_id from deliveries where campaign_id in (
         select id from campaigns where finished_at < $1 and state in ('sent', 'cancelled', 'failed')
       ) limit $2 for update skip locked
     ) old where d.campaign_id = old.campaign_id and d.contact_id = old.contact_id`,
    [before, rowsMax],
  )
  return rowCount ?? 0
}

/** Who opened what, which stays as a number. */
export async function forgetReadersOfHits(
  pg: Pool,
  { before, rowsMax }: Forgetting,
): Promise<number> {
  const { rowCount } = await pg.query(
    `update tracking_hits set contact_id = null, user_agent = null where id in
       (select id from tracking_hits where at < $1 and contact_id is not null order by at limit $2 for update skip locked)`,
    [before, rowsMax],
  )
  return rowCount ?? 0
}
