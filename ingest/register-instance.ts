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
