/** Reads how far ClickHouse knows a partition. */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Cursor, StoredPosition } from '../partitions/ports.ts'
import { isBeyond } from './stored-position.ts'

/**
 * Event rows that were received within this time before the newest row are compared. They are
 * needed for ranges without a note: those of versions that wrote none, and notes that have expired.
 */
const recentDays = 2

interface PositionRow {
  readonly generation: number
  readonly seq: number
  readonly undone: number
}

/** The later of the latest note and any recent event row beyond the plan of the cursor. */
export async function readNewestPosition(
  clickhouse: ClickHouseClient,
  { partition, generation, plannedSeq }: Cursor,
): Promise<StoredPosition | undefined> {
  const parameters = { partition, generation, plannedSeq }
  const [noted, stored] = await Promise.all([
    readPosition(
      clickhouse,
      `select stream_generation as generation, toFloat64(planned_seq) as seq, toUInt8(kind = 'undone') as undone
       from ranges where partition = {partition: UInt16}
       order by partition desc, stream_generation desc, planned_seq desc, undone desc limit 1`,
      parameters,
    ),
    readPosition(
      clickhouse,
      `select stream_generation as generation, toFloat64(stream_seq) as seq, 0 as undone from events
       where partition = {partition: UInt16}
         and received_at > (select max(received_at) from events) - toIntervalDay(${recentDays})
         and (stream_generation > {generation: UInt32}
           or stream_generation = {generation: UInt32} and stream_seq > {plannedSeq: UInt64})
       order by stream_generation desc, stream_seq desc limit 1`,
      parameters,
    ),
  ])
  if (noted === undefined || stored === undefined) return noted ?? stored
  return isBeyond(stored, noted) ? stored : noted
}

async function readPosition(
  clickhouse: ClickHouseClient,
  query: string,
  parameters: Readonly<Record<string, number>>,
): Promise<StoredPosition | undefined> {
  const result = await clickhouse.query({
    query,
    query_params: { ...parameters },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<PositionRow>()
  if (row === undefined) return undefined
  const { generation, seq, undone } = row
  return { generation, seq, isUndone: undone === 1 }
}
