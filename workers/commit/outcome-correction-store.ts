/**
 * Sends corrections of outcomes from a commit to ClickHouse, each exactly once:
 *
 *   commit    writes them in its transaction (`keepCorrections`)
 *   assign    a transaction gives the pending ones the id of a batch, unless a batch exists; a
 *             batch never changes
 *   insert    inserts the sums of the batch, with its id as deduplication token
 *   delete    deletes the batch
 *
 *   crash after assign   the next round finds the batch
 *   crash after insert   the next round inserts the same rows under the same token, and ClickHouse
 *                        drops them
 */
import { v4 as uuidv4 } from 'uuid'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { tokenSettings } from '#platform/clickhouse-token.ts'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { outcomeColumns } from '../digest/outcome-tally.ts'
import type { OutcomeCorrection } from '../monitors/refused-check-in.ts'

/** Corrections of one insert into ClickHouse. */
const batchRowsMax = 10_000
/** Batches of one round; the next round sends the rest. */
const batchesMax = 20

/** Stores corrections in the transaction of the commit that decided on them. */
export async function keepCorrections(
  client: PoolClient,
  corrections: readonly OutcomeCorrection[],
): Promise<void> {
  if (corrections.length === 0) return
  await client.query(
    `insert into outcome_corrections
       (project_id, dsn_key_no, component, hour, outcome, reason, category, sdk, quantity)
     select project_id, dsn_key_no, component, to_timestamp(hour), outcome, reason, category, sdk, quantity
     from unnest($1::bigint[], $2::bigint[], $3::text[], $4::float8[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
       as correction (project_id, dsn_key_no, component, hour, outcome, reason, category, sdk, quantity)`,
    [
      corrections.map(({ projectId }) => projectId),
      corrections.map(({ dsnKeyNo }) => dsnKeyNo),
      corrections.map(({ component }) => component),
      corrections.map(({ hourSecond }) => hourSecond),
      corrections.map(({ outcome }) => outcome),
      corrections.map(({ reason }) => reason),
      corrections.map(({ category }) => category),
      corrections.map(({ sdk }) => sdk),
      corrections.map(({ quantity }) => quantity),
    ],
  )
}

/** A row of the table `outcomes`; `hour` in seconds since 1970. */
export interface CorrectionRow {
  readonly project_id: number
  readonly dsn_key_no: number
  readonly component: string
  readonly hour: number
  readonly outcome: string
  readonly reason: string
  readonly category: string
  readonly sdk: string
  readonly quantity: number
}

export type InsertCorrections = (rows: readonly CorrectionRow[], token: string) => Promise<void>

export function correctionInserter(clickhouse: ClickHouseClient): InsertCorrections {
  return async (rows, token) => {
    await clickhouse.insert({
      table: 'outcomes',
      format: 'JSONEachRow',
      columns: [...outcomeColumns],
      values: rows,
      clickhouse_settings: tokenSettings(token),
    })
  }
}

/**
 * Sends the pending corrections. Only one process does so at a time; the others return at once.
 * Safe to interrupt at any point.
 */
export async function sendCorrections(pg: Pool, insert: InsertCorrections): Promise<void> {
  for (let batches = 0; batches < batchesMax; batches += 1) {
    const { rowCount } = await pg.query('select from outcome_corrections limit 1')
    if (rowCount === 0) return
    await assignBatch(pg)
    if (!(await sendBatch(pg, insert))) return
  }
}

export async function assignBatch(pg: Pool): Promise<void> {
  await inTransaction(pg, async (client) => {
    if (!(await lockSending(client))) return
    await client.query(
      `update outcome_corrections set batch = $1
       where not exists (select from outcome_corrections where batch is not null)
         and id in (select id from outcome_corrections where batch is null order by id limit $2)`,
      [uuidv4(), batchRowsMax],
    )
  })
}

/** Returns false if there was no batch, or another process sends it. */
async function sendBatch(pg: Pool, insert: InsertCorrections): Promise<boolean> {
  return inTransaction(pg, async (client) => {
    if (!(await lockSending(client))) return false
    const { rows } = await client.query<CorrectionRow & { batch: string }>(
      `select batch, project_id, dsn_key_no, component, extract(epoch from hour)::float8 as hour, outcome, reason, category, sdk,
         sum(quantity)::bigint as quantity
       from outcome_corrections
       where batch = (select batch from outcome_corrections where batch is not null limit 1)
       group by 1, 2, 3, 4, 5, 6, 7, 8, 9 order by 2, 3, 4, 5, 6, 7, 8, 9`,
    )
    const batch = rows[0]?.batch
    if (batch === undefined) return false
    await insert(
      rows.map(({ batch: _, ...row }) => row),
      `corrections:${batch}`,
    )
    await client.query('delete from outcome_corrections where batch = $1', [batch])
    return true
  })
}

async function lockSending(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('outcome corrections', 0)) as locked`,
  )
  return rows[0]?.locked === true
}
