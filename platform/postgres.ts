import pg from 'pg'
import { isUnreachable } from './installation/retry-at-start.ts'
import type { Logger } from './logger.ts'
import { mayFollowOutage } from './readiness/outages.ts'

export type { Pool, PoolClient } from 'pg'

export interface PostgresOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  readonly connectionsMax: number
  readonly statementTimeoutMs?: number
  /** Maximum wait for a free connection. */
  readonly connectionTimeoutMs?: number
}

// Counts and sequence numbers are int8. Ours stay below 2^53, so they may be numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`int8 ${text} is beyond 2^53`)
  return number
})

export function createPool(options: PostgresOptions, log: Logger): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 2_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    // The timeout of the server does not help if the server is unreachable.
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  })
  // Without a listener a broken idle connection would end the process.
  pool.on('error', (error) => {
    // The error object contains the whole client, including the password.
    const reason = error.message
    log.warn(
      { code: 'postgres_connection_lost', reason, ...mayFollowOutage },
      'An idle Postgres connection was lost.',
    )
  })
  // The same holds for a connection that breaks between two queries of a transaction: the next
  // query fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Runs `work` in one transaction. Rolls back and rethrows if it throws. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return runTransaction(await pool.connect(), work)
}

/**
 * Like `inTransaction`, on a client of a pool, which is released at the end.
 * @param run runs `begin` and `commit`.
 */
export async function runTransaction<T>(
  client: pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<T>,
  run: (text: string) => Promise<unknown> = (text) => client.query(text),
): Promise<T> {
  let broken: Error | undefined
  try {
    await run('begin')
    const result = await work(client)
    await run('commit')
    return result
  } catch (error) {
    // A rollback would wait behind the query that hangs. Closing the connection rolls back too.
    if (isConnectionError(error)) broken = new Error('the connection is lost or hangs')
    else {
      await client.query('rollback').catch((cause: Error) => {
        broken = cause
      })
    }
    throw error
  } finally {
    client.release(broken)
  }
}

/** Whether the connection failed, and not a statement to which Postgres has replied. */
function isConnectionError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof pg.DatabaseError) return false
    if (cause === cause.cause) break
  }
  return isUnreachable(error)
}

/**
 * SQLSTATE classes in which Postgres refuses the data of a statement: cardinality violations (21),
 * data exceptions (22), integrity constraint violations (23) and program limits such as the size of
 * an index entry (54). PostgreSQL, appendix A.
 */
const dataErrorClasses: ReadonlySet<string> = new Set(['21', '22', '23', '54'])

/** Whether a statement failed because of its data, so that every retry would fail as well. */
export function isDataError(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false
  return dataErrorClasses.has(error.code?.slice(0, 2) ?? '')
}

/** Runs `work` and checks its deferred constraints in a transaction that is always rolled back. */
export async function inRolledBackTransaction(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    await work(client)
    await client.query('set constraints all immediate')
  } finally {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause
    })
    client.release(broken)
  }
}
