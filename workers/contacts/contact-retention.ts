/**
 * Retention of contacts: people who never confirmed their subscription are deleted with all data of
 * the confirmation. Unsubscribed and suppressed contacts stay: they prevent further emails.
 */
import { inTransaction, type Pool } from '#platform/postgres.ts'
import {
  batchOf,
  deleteInBatches,
  type ExpiredRows,
  type ReportExpired,
} from '../delete-in-batches.ts'
import { lockAddresses } from '../retention/address-expiry-store.ts'

const dayMs = 24 * 3_600_000
/** Counted from the expiry of the last confirmation link. */
const unconfirmedKeptMs = 30 * dayMs
/** Chunks of a finished import, counted from its end. */
const importChunksKeptMs = dayMs

/** Returns how many contacts were deleted. */
export async function expireContacts(
  pg: Pool,
  now: Date,
  signal?: AbortSignal,
  report: ReportExpired = () => undefined,
): Promise<number> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const steps = [
    ['contacts', deleteUnconfirmed, ago(unconfirmedKeptMs)],
    ['confirm_tokens', deleteConfirmTokens, ago(unconfirmedKeptMs)],
    ['data_requests', deleteDataRequests, now],
    ['rate_windows', deleteRateWindows, now],
    ['contact_import_chunks', deleteImportChunks, ago(importChunksKeptMs)],
  ] as const
  let contacts = 0
  for (const [table, batch, before] of steps) {
    const expired = await deleteInBatches(batch, pg, before, signal)
    report(table, expired)
    if (table === 'contacts') contacts = expired
  }
  return contacts
}

/**
 * Pending contacts whose last confirmation link expired before `before`, with their address when
 * nothing else refers to it: they never agreed to be stored.
 */
async function deleteUnconfirmed(pg: Pool, { before, rowsMax }: ExpiredRows): Promise<number> {
  return inTransaction(pg, async (client) => {
    const { rows } = await client.query<{ address_id: string }>(
      `delete from contacts where id in (
         select id from contacts c where status = 'pending' and updated_at < $1
           and not exists (select from confirm_tokens t where t.contact_id = c.id and t.expires_at >= $1)
         order by updated_at limit $2 for update skip locked)
       returning address_id`,
      [before, rowsMax],
    )
    // An email that is queued now refers to its address, and would be deleted with it.
    const addressIds = await lockAddresses(
      client,
      rows.map(({ address_id }) => address_id),
    )
    await client.query(
      `delete from addresses a where id = any($1) and suppressed_at is null
         and not exists (select from contacts c where c.address_id = a.id)
         and not exists (select from sends s where s.address_id = a.id and s.kind <> 'confirmation')`,
      [addressIds],
    )
    return rows.length
  })
}

const deleteConfirmTokens = batchOf(
  `delete from confirm_tokens where token_hash in
       (select token_hash from confirm_tokens where expires_at < $1 order by expires_at limit $2 for update skip locked)`,
)

const deleteDataRequests = batchOf(
  `delete from data_requests where token_hash in
       (select token_hash from data_requests where expires_at < $1 order by expires_at limit $2 for update skip locked)`,
)

const deleteRateWindows = batchOf(
  `delete from rate_windows where bucket in
       (select bucket from rate_windows where expires_at < $1 order by expires_at limit $2 for update skip locked)`,
)

/** Uploaded files of imports that ended, dry runs included. */
const deleteImportChunks = batchOf(
  `delete from contact_import_chunks where (import_id, chunk_no) in
       (select k.import_id, k.chunk_no from contact_import_chunks k join contact_imports i on i.id = k.import_id
        where i.state not in ('waiting', 'running') and i.finished_at < $1 limit $2)`,
)
