import type { QueryResult, QueryResultRow } from 'pg'

/** What a store function needs of Postgres: a pool, or the client of a transaction that is open. */
export interface Database {
  query<Row extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>>
}
