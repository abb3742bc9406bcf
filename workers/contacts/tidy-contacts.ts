/** Every hour: who never confirmed is forgotten, and so is what only served to ask them. */
import type { Pool } from '#platform/postgres.ts'
import {
  forgetConfirmTokens,
  forgetDataRequests,
  forgetInRounds,
  forgetRateWindows,
  forgetTriedFiles,
  forgetUnconfirmed,
} from './contact-maintenance-store.ts'

const dayMs = 24 * 3_600_000
/** After the last link to confirm has expired. */
const unconfirmedKeptMs = 30 * dayMs

/** How many contacts were forgotten. */
export async function tidyContacts(pg: Pool, now: Date): Promise<number> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const forgotten = await forgetInRounds(forgetUnconfirmed, pg, ago(unconfirmedKeptMs))
  await forgetInRounds(forgetConfirmTokens, pg, ago(unconfirmedKeptMs))
  await forgetInRounds(forgetDataRequests, pg, now)
  await forgetInRounds(forgetRateWindows, pg, now)
  await forgetInRounds(forgetTriedFiles, pg, ago(dayMs))
  return forgotten
}
