import type { Pool } from '#platform/postgres.ts'
import { dashed } from '#schemas/ids.ts'

/**
 * Whether an instance of this installation had this id: it has leased quota, or workers have
 * committed its frames.
 */
export async function isKnownInstance(pool: Pool, instanceId: string): Promise<boolean> {
  const { rows } = await pool.query<{ known: boolean }>(
    `select exists (select from ingest_boots where boot_id = $1)
         or exists (select from frame_progress where boot_id = $1)
         or exists (select from quota_leases where boot_id = $1) as known`,
    [dashed(instanceId)],
  )
  return rows[0]?.known === true
}

/** Whether workers have moved past the layout to which the instance published. */
export async function isOfFormerLayout(pool: Pool, instanceId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from installation where first_partition > coalesce(
       (select first_partition from ingest_boots where boot_id = $1), 0)`,
    [dashed(instanceId)],
  )
  return rowCount === 1
}
