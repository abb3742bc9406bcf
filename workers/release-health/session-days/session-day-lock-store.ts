import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'

/**
 * Runs `work` in a transaction while no other process changes the sums of days. Returns false if
 * one does.
 */
export async function withSessionDays(
  pg: Pool,
  work: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  return inTransaction(pg, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('session days', 0)) as locked`,
    )
    if (rows[0]?.locked !== true) return false
    // The transaction is idle while ClickHouse makes a sum, for at most 30 s.
    await client.query(`set local idle_in_transaction_session_timeout = '60s'`)
    await work(client)
    return true
  })
}
