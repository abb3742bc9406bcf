/** Ingest processes that are gone: what they left open is settled, and in the end they are forgotten. */
import type { Pool } from '#platform/postgres.ts'

/** A process that lives says so every few seconds; one that another process adopts is settled by that one. */
const silentInterval = '24 hours'
const instancesPerRoundMax = 100

/**
 * Gives back what boots held that were silent for a day and that nobody adopted: their log is out of reach. Should it
 * come back after all, its records are charged anew. Returns how many were settled.
 */
export async function settleSilentInstances(pg: Pool): Promise<number> {
  const { rows } = await pg.query<{ boot_id: string }>(
    `select boot_id from ingest_boots
     where settled_at is null and seen_at < now() - interval '${silentInterval}'
     order by seen_at limit ${instancesPerRoundMax}`,
  )
  let settled = 0
  for (const { boot_id } of rows) {
    // Asked again, since it may have spoken, or been settled, after the list was read.
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
 * Forgets which frames of a boot were digested, once no frame of it can come: a week after the boot was settled with its log
 * confirmed. One that was settled because it was silent may still have a log somewhere, so it is remembered for long.
 */
export async function deleteOldInstances(pg: Pool): Promise<void> {
  await pg.query(
    `delete from frame_progress using ingest_boots as boot
     where boot.boot_id = frame_progress.boot_id and (
       boot.seen_at < now() - interval '90 days'
       or boot.settled_at < least(boot.seen_at + interval '${silentInterval}', now() - interval '7 days')
     )`,
  )
  await pg.query(
    `delete from frame_progress where updated_at < now() - interval '90 days'
     and not exists (select from ingest_boots where boot_id = frame_progress.boot_id)`,
  )
  await pg.query(
    `delete from ingest_boots where settled_at is not null and seen_at < now() - interval '90 days'`,
  )
}
