/** What may be forgotten of letters, some rows at a time; each says how many there were, so that the caller can go on. */
import { forgettingBy } from '../../contacts/contact-maintenance-store.ts'

/** Single letters whose fate was decided, words and all. */
export const forgetSends = forgettingBy(
  `delete from sends where id in
       (select id from sends where finished_at < $1 order by finished_at limit $2 for update skip locked)`,
)

/** Who got which campaign. Its sums stay in campaign_counts. */
export const forgetDeliveries = forgettingBy(
  `delete from deliveries d using (
       select campaign_id, contact_id from deliveries where campaign_id in (
         select id from campaigns where finished_at < $1 and state in ('sent', 'cancelled', 'failed')
       ) limit $2 for update skip locked
     ) old where d.campaign_id = old.campaign_id and d.contact_id = old.contact_id`,
)

/** Who opened what, which stays as a number. */
export const forgetContactsOfHits = forgettingBy(
  `update tracking_hits set contact_id = null, user_agent = null where id in
       (select id from tracking_hits where at < $1 and contact_id is not null order by at limit $2 for update skip locked)`,
)
