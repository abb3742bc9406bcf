/**
 * Refuses a pooler between this process and Postgres that gives a connection to several clients:
 * locks of sessions and LISTEN would be lost without an error.
 */
import type { Pool, PoolClient } from '../postgres.ts'

/** The message states the reason and the remedy. */
export class PoolingError extends Error {}

const remedy =
  'connect to Postgres directly, or set pool_mode = session and ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout in PgBouncer'

/**
 * Two connections that are open at the same time have two server processes, unless a pooler lends
 * them one. Needs a pool of at least two connections.
 */
export async function checkPooling(pool: Pool): Promise<void> {
  const first = await connect(pool)
  try {
    const second = await connect(pool)
    try {
      // One after the other: a pooler gives the second one the connection that is free again.
      const pids = [await backendPid(first), await backendPid(second)]
      if (pids[0] !== pids[1]) return
    } finally {
      second.release()
    }
  } finally {
    first.release()
  }
  throw new PoolingError(
    `POSTGRES_URL leads to a pooler in transaction mode, which breaks locks and notifications: ${remedy}`,
  )
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    if (!isRefusedParameter(error)) throw error
    throw new PoolingError(
      `POSTGRES_URL leads to a pooler that refuses our settings (${error.message}): ${remedy}`,
      { cause: error },
    )
  }
}

/** PgBouncer's reply to a startup parameter that is not in `ignore_startup_parameters`. */
function isRefusedParameter(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter')
}

async function backendPid(client: PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
