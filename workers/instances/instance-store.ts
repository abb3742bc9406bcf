/**
 * Ingest instances that have ended: their leases are settled, and after some time their progress is
 * deleted.
 */
import type { Pool } from '#platform/postgres.ts'
import type { ReportExpired } from '../delete-in-batches.ts'

/**
 * A live instance reports every few seconds. An instance whose log another one adopts is settled by
 * that one.
 */
const silentInterval = '24 hours'
const instancesPerRoundMax = 100

/**
 * Settles the leases of instances that were silent for a day and whose write-ahead log no other
 * instance adopted: the log is unreachable. If it appears again, its records are charged again.
 * Returns how many were settled.
 */
export async function settleSilentInstances(pg: Pool): Promise<number> {
  const { rows } = await pg.query<{ boot_id: string }>(
    `select boot_id from ingest_boots
     where settled_at is null and seen_at < now() - interval '${silentInterval}'
     order by seen_at limit ${instancesPerRoundMax}`,
  )
  let settled = 0
  for (const { boot_id } of rows) {
    // Checked again, because the instance may have reported or been settled since the list was
    // read.
    const { rowCount } = await pg.query(
      `with silent as (
         select boot_id from ingest_boots
         where boot_id = $1 and settled_at is null and seen_at < now() - interval '${silentInterval}'
         for update skip locked
       )
       select settle_boot(boot_id) from silent`,
      [boot_id],
    )
    settled += rowCount ?? 0
  }
  return settled
}

/**
 * Deletes the progress of instances once no frame of theirs can arrive: a week after they were
 * settled with their log confirmed. An instance that was settled because it was silent may still
 * have a log, so its progress is kept for 90 days.
 */
export async function deleteOldInstances(
  pg: Pool,
  report: ReportExpired = () => undefined,
): Promise<void> {
  const settled = await pg.query(
    `delete from frame_progress using ingest_boots as boot
     where boot.boot_id = frame_progress.boot_id and (
       boot.seen_at < now() - interval '90 days'
       or boot.settled_at < least(boot.seen_at + interval '${silentInterval}', now() - interval '7 days')
     )`,
  )
  const unknown = await pg.query(
    `delete from frame_progress where updated_at < now() - interval '90 days'
     and not exists (select from ingest_boots where boot_id = frame_progress.boot_id)`,
  )
  const instances = await pg.query(
    `delete from ingest_boots where settled_at is not null and seen_at < now() - interval '90 days'`,
  )
  report('frame_progress', (settled.rowCount ?? 0) + (unknown.rowCount ?? 0))
  report('ingest_boots', instances.rowCount ?? 0)
}
