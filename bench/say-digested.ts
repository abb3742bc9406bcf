/**
 * Replaces the workers, which are stopped while ingest is measured alone: records for all running
 * ingest processes that their frames are digested. Otherwise, purging the bus between rounds would
 * look like a loss of acknowledged frames, and ingest would publish them again from its write-ahead
 * log.
 */
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import type { Stack } from '../dev/stack.ts'

export async function sayDigested(stack: Stack): Promise<void> {
  const url = stack.demo.postgresUrl
  const options = { url, applicationName: 'bench', connectionsMax: 1 }
  const pg = createPool(options, createLogger('bench', 'silent'))
  try {
    await pg.query(
      `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq)
       select partition, 1, '', 1, 0, 0 from generate_series(0, 63) as partition on conflict do nothing`,
    )
    await pg.query(
      `insert into frame_progress (partition, boot_id, contiguous)
       select partition, boot_id, 1e12::bigint from partition_cursors, ingest_boots on conflict do nothing`,
    )
  } finally {
    await pg.end()
  }
}
