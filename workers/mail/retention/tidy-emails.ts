/** Every hour: letters that are long done are folded into their numbers. */
import type { Pool } from '#platform/postgres.ts'
import { forgetInRounds } from '../../contacts/contact-maintenance-store.ts'
import { forgetContactsOfHits, forgetDeliveries, forgetSends } from './email-maintenance-store.ts'

const dayMs = 24 * 3_600_000
/** Single letters, deliveries and who opened what are kept for so long. */
const keptMs = 90 * dayMs

/** How many letters were forgotten. */
export async function tidyEmails(pg: Pool, now: Date): Promise<number> {
  const before = new Date(now.getTime() - keptMs)
  const sends = await forgetInRounds(forgetSends, pg, before)
  const deliveries = await forgetInRounds(forgetDeliveries, pg, before)
  await forgetInRounds(forgetContactsOfHits, pg, before)
  return sends + deliveries
}
