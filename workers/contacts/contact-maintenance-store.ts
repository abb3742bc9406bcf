/** What may be forgotten of contacts, some rows at a time; each says how many there were, so that the caller can go on. */
import { inTransaction, type Pool } from '#platform/postgres.ts'

export interface Forgetting {
  readonly before: Date
  readonly rowsMax: number
}

const rowsAtOnce = 1_000
/** What is left after these waits for the next time. */
const roundsMax = 200

/** How many rows were forgotten. */
export async function forgetInRounds(
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

/** @param sql takes the time and how many rows, and touches what may be forgotten. */
export function forgettingBy(sql: string) {
  return async (pg: Pool, { before, rowsMax }: Forgetting): Promise<number> => {
    const { rowCount } = await pg.query(sql, [before, rowsMax])
    return rowCount ?? 0
  }
}

/**
 * Those who were asked to confirm and never did, with the address when nothing else is known of it: they never agreed to be
 * stored. `before`: what was still good after it may yet be clicked.
 */
export async function forgetUnconfirmed(
  pg: Pool,
  { before, rowsMax }: Forgetting,
): Promise<number> {
  return inTransaction(pg, async (client) => {
    const { rows } = await client.query<{ address_id: string }>(
      `delete from contacts where id in (
         select id from contacts c where status = 'pending' and updated_at < $1
           and not exists (select from confirm_tokens t where t.contact_id = c.id and t.expires_at >= $1)
         order by updated_at limit $2 for update skip locked)
       returning address_id`,
      [before, rowsMax],
    )
    await client.query(
      `delete from addresses a where id = any($1) and suppressed_at is null
         and not exists (select from contacts c where c.address_id = a.id)
         and not exists (select from sends s where s.address_id = a.id and s.kind <> 'confirmation')`,
      [rows.map(({ address_id }) => address_id)],
    )
    return rows.length
  })
}

export const forgetConfirmTokens = forgettingBy(
  `delete from confirm_tokens where token_hash in
       (select token_hash from confirm_tokens where expires_at < $1 order by expires_at limit $2 for update skip locked)`,
)

export const forgetDataRequests = forgettingBy(
  `delete from data_requests where token_hash in
       (select token_hash from data_requests where expires_at < $1 order by expires_at limit $2 for update skip locked)`,
)

export const forgetRateWindows = forgettingBy(
  `delete from rate_windows where bucket in
       (select bucket from rate_windows where expires_at < $1 order by expires_at limit $2 for update skip locked)`,
)

/** Files that were tried and never imported. */
export const forgetTriedFiles = forgettingBy(
  `delete from contact_import_chunks where (import_id, chunk_no) in
       (select k.import_id, k.chunk_no from contact_import_chunks k join contact_imports i on i.id = k.import_id
        where i.state not in ('waiting', 'running') and i.finished_at < $1 limit $2)`,
)
