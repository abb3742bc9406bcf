/**
 * Runs queries of housekeeping so that they read by index, even if the statistics advise against
 * it. A table in which nearly all rows belong to one parent looks to the planner as if any first
 * row would do, and then it reads the whole table for each parent that has none.
 */
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'

export function byIndexes<T>(pg: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pg, async (client) => {
    await client.query('set local enable_seqscan = off')
    return work(client)
  })
}
