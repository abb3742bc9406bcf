import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { IssuesMovedError } from './settle-issues-store.ts'

/** Attempts of a transaction that other transactions stopped. */
const attemptsMax = 5
const retryMs = 200
const deadlockDetected = '40P01'

/** Runs a transaction that may be idle for minutes. It is repeated when another one stopped it. */
export async function inLongTransaction<T>(
  pg: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(pg, async (client) => {
        // ClickHouse is read while the transaction is idle.
        await client.query('set local idle_in_transaction_session_timeout = 0')
        return work(client)
      })
    } catch (error) {
      if (attempt === attemptsMax || !mayRepeat(error)) throw error
    }
    await sleep(retryMs)
  }
}

function mayRepeat(error: unknown): boolean {
  if (error instanceof IssuesMovedError) return true
  return (error as { code?: unknown } | null)?.code === deadlockDetected
}
