/**
 * The two stores as the API sees them. A store that does not answer becomes the coded error
 * `unavailable` here, so that nobody else has to know how each driver says it.
 */
import { ClickHouseError } from '@clickhouse/client'
import pg, { type QueryResult, type QueryResultRow } from 'pg'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { CodedError } from '#schemas/error-codes.ts'

/** What a store function needs of Postgres: a pool, or the client of a transaction that is open. */
export interface Database {
  /**
   * With a name the text is parsed once a connection, and planned once where the plan is as good for all values. One text a name,
   * and few of them: each connection keeps them all.
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

/** Reads only: every query carries its parameters, and bounds on its time and its rows. */
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
        // What the work threw itself is its own word; the rest is about the transaction around it.
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
            // 2: no writes, yet the settings below may stand beside it.
            readonly: '2',
            max_execution_time: clickHouseSecondsMax,
            max_result_rows: String(clickHouseRowsMax),
            // All our counts stay below 2^53.
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

/** What is neither the database's word nor our own never reached the database. */
function postgresError(cause: unknown): unknown {
  if (cause instanceof CodedError) return cause
  if (!(cause instanceof pg.DatabaseError)) {
    return isNetworkError(cause) ? new CodedError('unavailable', { cause }) : cause
  }
  const passing = passingSqlStates.has(cause.code?.slice(0, 2) ?? '')
  return passing ? new CodedError('unavailable', { cause }) : cause
}

/** Time, memory, simultaneous queries and connections: what a later try may not meet. */
const passingClickHouseCodes = new Set(['159', '160', '202', '209', '210', '236', '241', '279'])

function clickHouseError(cause: unknown): unknown {
  if (!(cause instanceof ClickHouseError)) {
    return cause instanceof SyntaxError || cause instanceof TypeError
      ? cause
      : new CodedError('unavailable', { cause })
  }
  return passingClickHouseCodes.has(cause.code) ? new CodedError('unavailable', { cause }) : cause
}

/** The driver gives plain errors for its own timeouts, so what is left is everything but our mistakes. */
function isNetworkError(cause: unknown): boolean {
  return !(
    cause instanceof TypeError ||
    cause instanceof RangeError ||
    cause instanceof ReferenceError ||
    cause instanceof SyntaxError ||
    (cause instanceof Error && cause.name === 'AssertionError')
  )
}
