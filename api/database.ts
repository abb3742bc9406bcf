/**
 * Postgres and ClickHouse for the API. Errors of a store that does not respond become the coded
 * error `unavailable` here, so that no other file has to know the errors of the drivers.
 */
import { ClickHouseError } from '@clickhouse/client'
import pg, { type QueryResult, type QueryResultRow } from 'pg'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { type Pool, type PoolClient, runTransaction } from '#platform/postgres.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { inStoreTime, storeMsMax } from './store-time.ts'

/** A pool, or the client of an open transaction. */
export interface Database {
  /**
   * A query with a name is a prepared statement: Postgres parses it once per connection. Use one
   * text per name and few names, because each connection keeps all of them.
   */
  query<Row extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<QueryResult<Row>>
}

export interface Postgres extends Database {
  transaction<T>(work: (client: Database) => Promise<T>): Promise<T>
}

/**
 * Runs the transactions of actions inside an open one, so that several actions succeed or fail
 * together. An action must not catch an error of its transaction and continue.
 */
export function joinTransaction(client: Database): Postgres {
  return {
    query: (text, values, name) => client.query(text, values, name),
    transaction: (work) => work(client),
  }
}

/** Read-only queries with parameters and with limits on time and rows. */
export interface ClickHouse {
  select<Row>(sql: string, parameters: Readonly<Record<string, unknown>>): Promise<Row[]>
}

/** Below `storeMsMax`, so that ClickHouse itself ends a query that takes too long. */
export const clickHouseSecondsMax = 6
export const clickHouseRowsMax = 20_000

interface Query {
  readonly text: string
  readonly values?: unknown[] | undefined
  readonly name?: string | undefined
}

export function createPostgres(pool: Pool): Postgres {
  return {
    query: async (text, values, name) => {
      try {
        return await queryInTime(pool, { text, values: values as unknown[], name })
      } catch (cause) {
        throw postgresError(cause)
      }
    },
    transaction: async (work) => {
      let workError: { error: unknown } | undefined
      try {
        const transactionClient = await connectInTime(pool)
        const transact = async (client: PoolClient) => {
          const query: Database['query'] = async (text, values, name) => {
            try {
              return await queryInTime(client, { text, values: values as unknown[], name })
            } catch (cause) {
              throw postgresError(cause)
            }
          }
          try {
            return await work({ query })
          } catch (error) {
            workError = { error }
            throw error
          }
        }
        return await runTransaction(transactionClient, transact, (text) =>
          queryInTime(transactionClient, { text }),
        )
      } catch (cause) {
        // An error of `work` is passed on; other errors are about the transaction itself.
        throw cause === workError?.error ? cause : postgresError(cause)
      }
    },
  }
}

/** The driver ends a query after its time limit; the connection is then not used again. */
function queryInTime<Row extends QueryResultRow>(
  client: Pick<Pool | PoolClient, 'query'>,
  query: Query,
): Promise<QueryResult<Row>> {
  return inStoreTime('Postgres', (ms) => {
    // The types of the driver know neither `undefined` nor the time limit of one query.
    const config = { ...query, query_timeout: Math.min(ms, storeMsMax) } as pg.QueryConfig
    return client.query<Row>(config)
  })
}

async function connectInTime(pool: Pool): Promise<PoolClient> {
  let isLate = false
  const connecting = pool.connect()
  connecting.then(
    (client) => isLate && client.release(),
    () => undefined,
  )
  try {
    return await inStoreTime('Postgres', () => connecting)
  } catch (error) {
    isLate = true
    throw error
  }
}

export function createClickHouseReader(client: ClickHouseClient): ClickHouse {
  return {
    select: async <Row>(sql: string, parameters: Readonly<Record<string, unknown>>) => {
      const cancel = new AbortController()
      const read = async () => {
        const result = await client.query({
          query: sql,
          abort_signal: cancel.signal,
          query_params: { ...parameters },
          format: 'JSONEachRow',
          clickhouse_settings: {
            // 2 forbids writes and allows the settings below.
            readonly: '2',
            max_execution_time: clickHouseSecondsMax,
            max_result_rows: String(clickHouseRowsMax),
            // All our counts are below 2^53.
            output_format_json_quote_64bit_integers: 0,
            date_time_output_format: 'iso',
            // An aborted request ends its query.
            cancel_http_readonly_queries_on_client_close: 1,
          },
        })
        return result.json<Row>()
      }
      try {
        return await inStoreTime('ClickHouse', read)
      } catch (cause) {
        cancel.abort()
        throw clickHouseError(cause)
      }
    },
  }
}

/** Connection lost, resources exhausted, cancelled or shutting down: by class of the SQLSTATE. */
const passingSqlStates = new Set(['08', '53', '57', '58'])

/** An error that is neither of the database nor of our code is a failure of the connection. */
function postgresError(cause: unknown): unknown {
  if (cause instanceof CodedError) return cause
  if (!(cause instanceof pg.DatabaseError)) {
    return isNetworkError(cause) ? new CodedError('unavailable', { cause }) : cause
  }
  const passing = passingSqlStates.has(cause.code?.slice(0, 2) ?? '')
  return passing ? new CodedError('unavailable', { cause }) : cause
}

/** Timeouts, memory, too many queries or connections: a retry may succeed. */
const passingClickHouseCodes = new Set(['159', '160', '202', '209', '210', '236', '241', '279'])

/** Most of the product works without ClickHouse, so the reply says what does not. */
const clickHouseAway =
  'ClickHouse is unavailable: events, statistics and release health cannot be read. Retry in a few seconds.'
const clickHouseBusy =
  'ClickHouse ran out of time, memory or connections for this request. Retry in a few seconds.'

function clickHouseError(cause: unknown): unknown {
  if (!(cause instanceof ClickHouseError)) {
    return cause instanceof SyntaxError || cause instanceof TypeError
      ? cause
      : new CodedError('unavailable', { message: clickHouseAway, cause })
  }
  return passingClickHouseCodes.has(cause.code)
    ? new CodedError('unavailable', { message: clickHouseBusy, cause })
    : cause
}

/**
 * The driver throws plain errors for its timeouts, so all errors count except those of our code.
 */
function isNetworkError(cause: unknown): boolean {
  return !(
    cause instanceof TypeError ||
    cause instanceof RangeError ||
    cause instanceof ReferenceError ||
    cause instanceof SyntaxError ||
    (cause instanceof Error && cause.name === 'AssertionError')
  )
}
