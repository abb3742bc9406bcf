/** Reads the notes of ranges, and completes a range, in ClickHouse. */
import { Readable } from 'node:stream'
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { rangeToken, tokenSettings } from '#platform/clickhouse-token.ts'
import { putInSdks } from '#schemas/outcome-rows.ts'
import { RangeNote } from '#schemas/range-note.ts'
import type { NotedRange } from './noted-range.ts'
import type { Position } from './position.ts'

export interface PartitionPosition extends Position {
  readonly partition: number
}

interface NoteRow {
  readonly generation: number
  readonly committed: number
  readonly planned: number
  readonly undone: number
  readonly note: string
}

/** The latest position of each partition that a note or an event row names. */
export async function readNewestPositions(
  clickhouse: ClickHouseClient,
): Promise<Map<number, Position>> {
  const result = await clickhouse.query({
    query: `select partition, tupleElement(latest, 1) as generation, toFloat64(tupleElement(latest, 2)) as seq from (
        select partition, max(latest) as latest from (
          select partition, max((stream_generation, planned_seq)) as latest from ranges group by partition
          union all
          select partition, max((stream_generation, stream_seq)) as latest from events group by partition
        ) group by partition
      )`,
    format: 'JSONEachRow',
  })
  const rows = await result.json<PartitionPosition>()
  return new Map(rows.map(({ partition, generation, seq }) => [partition, { generation, seq }]))
}

/** Visits the ranges of a partition after a position, in order; one at a time is in memory. */
export async function forEachRange(
  clickhouse: ClickHouseClient,
  after: PartitionPosition,
  visit: (range: NotedRange) => Promise<void>,
): Promise<void> {
  for await (const rows of await readRanges(clickhouse, after, 'asc')) {
    for (const row of rows) await visit(rangeOf(after.partition, row))
  }
}

/** The last range of the partition after a position. */
export async function readLastRange(
  clickhouse: ClickHouseClient,
  after: PartitionPosition,
): Promise<NotedRange | undefined> {
  for await (const rows of await readRanges(clickhouse, after, 'desc')) {
    for (const row of rows) return rangeOf(after.partition, row)
  }
  return undefined
}

/**
 * Inserts the outcomes of a range under its token: what is stored already is dropped. A range whose
 * event rows are there may lack them.
 */
export async function completeOutcomes(
  clickhouse: ClickHouseClient,
  range: NotedRange,
): Promise<void> {
  const { outcomeRows, settings } = range.note
  if (outcomeRows === '') return
  const rows = putInSdks({
    rows: Buffer.from(outcomeRows, 'base64'),
    sdks: settings.outcomeSdks,
  })
  const { stream } = await clickhouse.exec({
    query: `insert into outcomes
      (project_id, dsn_key_no, component, hour, outcome, reason, category, sdk, quantity) format RowBinary`,
    values: Readable.from([Buffer.from(rows.buffer)]),
    clickhouse_settings: tokenSettings(rangeToken(range, 'outcomes')),
  })
  stream.resume()
}

/** Whether an event row of the range exists. */
export async function hasEventRows(
  clickhouse: ClickHouseClient,
  { partition, generation, committedSeq, plannedSeq }: NotedRange,
): Promise<boolean> {
  const result = await clickhouse.query({
    query: `select 1 as found from events
      where partition = {partition: UInt16} and stream_generation = {generation: UInt32}
        and stream_seq > {committedSeq: UInt64} and stream_seq <= {plannedSeq: UInt64} limit 1`,
    query_params: { partition, generation, committedSeq, plannedSeq },
    format: 'JSONEachRow',
  })
  return (await result.json()).length > 0
}

/** A note that was stored twice, after its token had expired, is one range. */
async function readRanges(
  clickhouse: ClickHouseClient,
  { partition, generation, seq }: PartitionPosition,
  order: 'asc' | 'desc',
): Promise<AsyncIterable<readonly NoteRow[]>> {
  const result = await clickhouse.query({
    query: `select stream_generation as generation, toFloat64(committed_seq) as committed,
        toFloat64(planned_seq) as planned, max(kind = 'undone') as undone, max(ranges.note) as note
      from ranges
      where partition = {partition: UInt16} and (stream_generation > {generation: UInt32}
        or stream_generation = {generation: UInt32} and planned_seq > {seq: UInt64})
      group by stream_generation, committed_seq, planned_seq having note != ''
      order by generation ${order}, planned ${order} ${order === 'desc' ? 'limit 1' : ''}`,
    query_params: { partition, generation, seq },
    format: 'JSONEachRow',
    clickhouse_settings: { max_bytes_before_external_group_by: '500000000' },
  })
  return rowsOf<NoteRow>(result.stream())
}

/** The rows of a stream of the client, in the batches in which they arrive. */
export async function* rowsOf<Row>(
  stream: AsyncIterable<readonly { json: () => unknown }[]>,
): AsyncGenerator<Row[]> {
  for await (const rows of stream) yield rows.map((row) => row.json() as Row)
}

function rangeOf(partition: number, row: NoteRow): NotedRange {
  return {
    partition,
    generation: row.generation,
    committedSeq: row.committed,
    plannedSeq: row.planned,
    note: RangeNote.parse(JSON.parse(row.note)),
    isUndone: row.undone === 1,
  }
}
