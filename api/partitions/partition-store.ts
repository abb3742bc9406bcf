/** What Postgres knows of the layouts of the bus, for the command line. */
import { type Layouts, readLayouts } from '#platform/installation/layouts.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { Database, Postgres } from '../database.ts'

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

/** An instance reports every few seconds. */
export const silentSeconds = 60

/** Instances that are not settled and do not report, oldest report first. */
export async function listSilentInstances(pg: Database): Promise<WaitingInstance[]> {
  const { rows } = await pg.query<{ boot_id: string; seen_at: Date }>(
    `select boot_id, seen_at from ingest_boots
     where settled_at is null and seen_at < now() - make_interval(secs => $1)
     order by seen_at limit 100`,
    [silentSeconds],
  )
  return rows.map(({ boot_id, seen_at }) => ({ instanceId: boot_id, seenAt: seen_at }))
}

/** `alive`: the instance reports and was left as it is. */
export async function settleSilentInstance(
  pg: Postgres,
  instanceId: string,
): Promise<'settled' | 'alive' | 'unknown'> {
  return pg.transaction(async (client) => {
    const { rows } = await client.query<{ silent: boolean }>(
      `select seen_at < now() - make_interval(secs => $2) as silent from ingest_boots
       where boot_id = $1 and settled_at is null for update`,
      [instanceId, silentSeconds],
    )
    const [row] = rows
    if (row === undefined) return 'unknown'
    if (!row.silent) return 'alive'
    await client.query('select settle_boot($1)', [instanceId])
    return 'settled'
  })
}
