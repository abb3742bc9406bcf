/** Every hour: who never confirmed is forgotten, and so is what only served to ask them. */
import type { Pool } from '#platform/postgres.ts'
import {
  type Forgetting,
  forgetConfirmTokens,
  forgetRateWindows,
  forgetTriedFiles,
  forgetUnconfirmed,
} from '../io/contact-care-store.ts'

const dayMs = 24 * 3_600_000
/** After the last link to confirm has expired. */
const unconfirmedKeptMs = 30 * dayMs
const rowsAtOnce = 1_000
/** What is left after these waits for the next hour. */
const roundsMax = 200

/** How many contacts were forgotten. */
export async function tidyContacts(pg: Pool, now: Date): Promise<number> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const forgotten = await all(forgetUnconfirmed, pg, ago(unconfirmedKeptMs))
  await all(forgetConfirmTokens, pg, ago(unconfirmedKeptMs))
  await all(forgetRateWindows, pg, now)
  await all(forgetTriedFiles, pg, ago(dayMs))
  return forgotten
}

async function all(
  forget: (pg: Pool, rows: Forgetting) => Promise<number>,
  pg: Pool,
  before: Date,
): Promise<number> {
  let count = 0
  for (let round = 0; round < roundsMax; round++) {
    const rows = await forget(pg, { before, rowsMax: rowsAtOnce })
    count += rows
    if (rows < rowsAtOnce) break
  }
  return count
}
