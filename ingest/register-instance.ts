import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { dashed } from '#schemas/ids.ts'

/**
 * Stores which layout an ingest instance publishes to. Throws if the layout was replaced in the
 * meantime, so that the next start uses its successor.
 */
export async function registerInstance(
  pool: Pool,
  instanceId: string,
  { first }: IngestLayout,
): Promise<void> {
  const { rowCount } = await pool.query(
    `with layout as (select from installation where first_partition <= $2 for share)
     insert into ingest_boots (boot_id, first_partition) select $1, $2 from layout
     on conflict (boot_id) do update set first_partition = $2`,
    [dashed(instanceId), first],
  )
  if (rowCount === 0) throw new Error('the layout of the streams has just been replaced')
}

/** Greater than every partition number: the instance publishes nothing any more. */
const noPartition = 2 ** 31 - 1

/**
 * To be called at the end of a process without a write-ahead log whose frames are acknowledged.
 * Nobody finds a log of it to settle it, and workers would wait a day before they move to the next
 * layout.
 */
export async function retireInstance(pool: Pool, instanceId: string): Promise<void> {
  await pool.query('update ingest_boots set first_partition = $2 where boot_id = $1', [
    dashed(instanceId),
    noPartition,
  ])
}

/**
 * The process publishes to a layout whose streams are deleted. It was silent for so long that
 * workers did not wait for it, and must start again.
 */
export class LayoutReplacedError extends Error {}

/** Throws `LayoutReplacedError` when workers have moved past this layout. */
export async function expectLayout(pool: Pool, { first }: IngestLayout): Promise<void> {
  const { rowCount } = await pool.query('select from installation where first_partition > $1', [
    first,
  ])
  if (rowCount === 1) {
    throw new LayoutReplacedError(
      'the number of partitions was changed while this process did not run: it ends, and must be started again',
    )
  }
}
