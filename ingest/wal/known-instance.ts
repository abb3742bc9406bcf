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

/**
 * Whether workers have moved past the layout to which the instance published. An unknown instance
 * started after the backup from which Postgres was restored, so its layout is not a former one.
 */
export async function isOfFormerLayout(pool: Pool, instanceId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from ingest_boots as boot, installation
     where boot.boot_id = $1 and boot.first_partition < installation.first_partition`,
    [dashed(instanceId)],
  )
  return rowCount === 1
}
