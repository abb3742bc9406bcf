/** What Postgres knows of the layouts of the bus, for the command line. */
import { type Layouts, readLayouts } from '#platform/installation/layouts.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { Database } from '../database.ts'

export interface WaitingInstance {
  readonly instanceId: string
  readonly seenAt: Date
}

/** Locks the layouts until the end of the transaction. */
export async function lockLayouts(pg: Database): Promise<Layouts> {
  await pg.query('select from installation for update')
  return readLayouts(pg)
}

export async function setNextLayout(pg: Database, next: IngestLayout): Promise<void> {
  await pg.query(
    `update installation
     set next_first_partition = $1, next_partitions = $2, next_streams = $3`,
    [next.first, next.partitions, next.streams],
  )
}

/** Ingest instances that publish to a former layout, or have a log of it, oldest report first. */
export async function listFormerInstances(
  pg: Database,
  next: IngestLayout,
): Promise<WaitingInstance[]> {
  const { rows } = await pg.query<{ boot_id: string; seen_at: Date }>(
    `select boot_id, seen_at from ingest_boots
     where settled_at is null and first_partition < $1 order by seen_at limit 100`,
    [next.first],
  )
  return rows.map(({ boot_id, seen_at }) => ({ instanceId: boot_id, seenAt: seen_at }))
}
