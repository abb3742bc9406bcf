/**
 * The layouts of the bus, as Postgres knows them: the one that workers digest, and its successor
 * while the number of partitions is being changed.
 */
import {
  describeLayout,
  firstLayout,
  type IngestLayout,
  isSameLayout,
} from '#schemas/bus/layout.ts'
import type { Logger } from '../logger.ts'
import type { Pool } from '../postgres.ts'

export interface Layouts {
  /** Undefined until a process has created the streams. */
  readonly current: IngestLayout | undefined
  /** The layout that ingest processes use from their next start. */
  readonly next: IngestLayout | undefined
}

interface LayoutRow {
  readonly first_partition: number
  readonly partitions: number | null
  readonly streams: number | null
  readonly next_first_partition: number | null
  readonly next_partitions: number | null
  readonly next_streams: number | null
}

/** A pool, a connection, or anything else that answers queries. */
interface Queries {
  query<Row extends object>(text: string): Promise<{ readonly rows: readonly Row[] }>
}

export async function readLayouts(pg: Queries): Promise<Layouts> {
  const { rows } = await pg.query<LayoutRow>(
    `select first_partition, partitions, streams,
            next_first_partition, next_partitions, next_streams from installation`,
  )
  const row = rows[0]
  if (row === undefined) throw new Error('the table installation of Postgres has no row')
  return {
    current: layoutOf(row.first_partition, row.partitions, row.streams),
    next: layoutOf(row.next_first_partition, row.next_partitions, row.next_streams),
  }
}

/** The layout that workers digest; what `asked` says decides only before there is one. */
export function currentLayout(
  { current }: Layouts,
  asked: Pick<IngestLayout, 'partitions' | 'streams'>,
): IngestLayout {
  return current ?? firstLayout(asked)
}

/** The layout that an ingest process publishes to when it starts. */
export function publishedLayout(
  layouts: Layouts,
  asked: Pick<IngestLayout, 'partitions' | 'streams'>,
): IngestLayout {
  return layouts.next ?? currentLayout(layouts, asked)
}

/**
 * Stores the layout that was found on the broker, and logs a warning if the environment requests
 * another one or if it changed without `admin partitions set`. Neither is an error.
 */
export async function noteLayout(
  pool: Pool,
  {
    asked,
    found,
  }: {
    readonly asked: Pick<IngestLayout, 'partitions' | 'streams'>
    readonly found: IngestLayout
  },
  log: Logger,
): Promise<void> {
  if (asked.partitions !== found.partitions || asked.streams !== found.streams) {
    log.warn(
      { code: 'layout_differs', asked, found },
      `INGEST_PARTITIONS=${asked.partitions} and INGEST_STREAMS=${asked.streams} are ignored: the streams have ${describeLayout(found)}. Change it with \`admin partitions set\`.`,
    )
  }
  const { rows } = await pool.query<{ partitions: number | null; streams: number | null }>(
    `update installation set partitions = $1, streams = $2
       from (select partitions, streams from installation for update) as before
      where (installation.partitions, installation.streams) is distinct from ($1, $2)
        and installation.first_partition = $3
      returning before.partitions, before.streams`,
    [found.partitions, found.streams, found.first],
  )
  const { partitions, streams } = rows[0] ?? {}
  if (!partitions || !streams) return
  const before = { first: found.first, partitions, streams }
  if (isSameLayout(before, found)) return
  log.warn(
    { code: 'layout_changed', before, found },
    `The streams were created again with ${describeLayout(found)}; they had ${describeLayout(before)}. Duplicates of events that were sent before are not recognised. To change the layout without that, use \`admin partitions set\`.`,
  )
}

function layoutOf(
  first: number | null,
  partitions: number | null,
  streams: number | null,
): IngestLayout | undefined {
  if (first === null || partitions === null || streams === null) return undefined
  return { first, partitions, streams }
}
