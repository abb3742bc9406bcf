/**
 * Postgres and ClickHouse for the API. Errors of a store that does not respond become the coded
 * error `unavailable` here, so that no other file has to know the errors of the drivers.
 */
import { ClickHouseError } from '@clickhouse/client'
import pg, { type QueryResult, type QueryResultRow } from 'pg'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { CodedError } from '#schemas/error-codes.ts'

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

export const clickHouseSecondsMax = 10
export const clickHouseRowsMax = 20_000

export function createPostgres(pool: Pool): Postgres {
  return {
    query: async (text, values, name) => {
      try {
        return await pool.query({ text, values: values as unknown[], name })
      } catch (cause) {
        throw postgresError(cause)
      }
    },
    transaction: async (work) => {
      let workError: { error: unknown } | undefined
      try {
        return await inTransaction(pool, async (client) => {
          const query = async <Row extends QueryResultRow>(
            text: string,
            values?: readonly unknown[],
            name?: string,
          ): Promise<QueryResult<Row>> => {
            try {
              return await client.query<Row>({ text, values: values as unknown[], name })
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
        })
      } catch (cause) {
        // An error of `work` is passed on; other errors are about the transaction itself.
        throw cause === workError?.error ? cause : postgresError(cause)
      }
    },
  }
}

export function createClickHouseReader(client: ClickHouseClient): ClickHouse {
  return {
    select: async <Row>(sql: string, parameters: Readonly<Record<string, unknown>>) => {
      try {
        const result = await client.query({
          query: sql,
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
          },
        })
        return await result.json<Row>()
      } catch (cause) {
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

function clickHouseError(cause: unknown): unknown {
  if (!(cause instanceof ClickHouseError)) {
    return cause instanceof SyntaxError || cause instanceof TypeError
      ? cause
      : new CodedError('unavailable', { cause })
  }
  return passingClickHouseCodes.has(cause.code) ? new CodedError('unavailable', { cause }) : cause
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
