/**
 * Reads the ids in a partition's rows: all that an `IdWindow` keeps when a partition is taken over,
 * and single ones that are later than the window reaches. Only rows at or below the commit count: a
 * range that was inserted and not committed is decided again. The projection `known_ids`
 * (schemas/clickhouse) holds these columns in this order. Ids are read in slices of bounded size
 * and decoded while they stream in.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { partitionOf } from '#schemas/bus/partition.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { dashed } from '#schemas/ids.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import { sampleSpanSeconds } from '../digest/issue-sampler.ts'
import { type IdWindow, repeats, secondOf } from './id-window.ts'
import type { DigestedScope, KnownIds, LateId } from './known-ids.ts'
import { forEachIdRow, type IdRow } from './read-id-rows.ts'

/** Ids per query: a few seconds' work, 28 bytes each. */
const sliceIdsMax = 500_000
const sliceStepSeconds = 60
/** Late ids per query; they are part of its text. */
const lateIdsPerQuery = 2_000
/**
 * Time spans, back from the newest row of all, in which the newest row of a partition is searched.
 */
const searchSpansSeconds = [1, 16, 256].map((days) => days * 86_400)

/** The same value as `secondOf`, in SQL. */
const receivedSecond =
  'toUInt32(least(greatest(intDiv(toUnixTimestamp64Milli(received_at), 1000), 1), 4294967295))'

interface Slice {
  /** Range of the seconds of receipt, both ends included. */
  readonly first: number
  readonly last: number
}

export class ClickHouseKnownIds implements KnownIds {
  readonly #clickhouse: ClickHouseClient

  constructor(clickhouse: ClickHouseClient) {
    this.#clickhouse = clickhouse
  }

  async read(scope: DigestedScope, window: IdWindow): Promise<void> {
    const last = await this.#number(
      // ClickHouse answers this from the bounds of the table's parts.
      'select toFloat64(intDiv(toUnixTimestamp64Milli(max(received_at)), 1000)) as n from events',
    )
    const newest = await this.#newestSecond(scope, last)
    if (newest === undefined) return
    const first = Math.max(0, newest - window.keptSeconds - sampleSpanSeconds)
    // Newest first: once the window is full, its floor tells where to stop.
    for (const slice of await this.#slices(scope, { first, last })) {
      if (slice.last + sampleSpanSeconds < window.floorSecond) return
      await this.#readIds(rowsIn(scope, slice), (row) => {
        if (isOwn(scope, row)) enterRow(window, row)
      })
    }
  }

  async among(scope: DigestedScope, ids: readonly LateId[]): Promise<readonly boolean[]> {
    const known = new Set<LateId>()
    const inOrder = [...ids].sort((a, b) => a.receivedAtMs - b.receivedAtMs)
    for (let at = 0; at < inOrder.length; at += lateIdsPerQuery) {
      await this.#findLate(scope, inOrder.slice(at, at + lateIdsPerQuery), known)
    }
    return ids.map((id) => known.has(id))
  }

  async #findLate(scope: DigestedScope, ids: readonly LateId[], known: Set<LateId>): Promise<void> {
    const [oldest, newest] = [ids[0], ids.at(-1)]
    if (oldest === undefined || newest === undefined) return
    const wanted = new Map<string, LateId[]>()
    for (const id of ids) wanted.set(idName(id), [...(wanted.get(idName(id)) ?? []), id])
    const reach = dedupWindowMs / 1000 + sampleSpanSeconds
    const slice = {
      first: Math.max(0, secondOf(oldest.receivedAtMs) - reach),
      last: secondOf(newest.receivedAtMs) + reach,
    }
    const list = ids.map(({ recordId }) => `'${dashed(recordId)}'`).join(', ')
    const rows = `${rowsIn(scope, slice)}
      and (event_id in (${list}) or hasAny(sampled_ids, cast([${list}] as Array(UUID))))`
    await this.#readIds(rows, (row) => {
      for (const id of wanted.get(`${row.projectId} ${row.hex}`) ?? []) {
        if (repeats(row.second, secondOf(id.receivedAtMs))) known.add(id)
      }
    })
  }

  /** The latest second of the scope's rows and of the events that they represent. */
  async #newestSecond(scope: DigestedScope, last: number): Promise<number | undefined> {
    for (const span of [...searchSpansSeconds, last]) {
      const first = Math.max(0, last - span)
      const newest = await this.#number(
        `select max(arrayMax(arrayPushBack(arrayMap(at -> toUInt32(at), sampled_received_at), ${receivedSecond}))) as n
         from events where ${rowsIn(scope, { first, last })}`,
      )
      // A row from before the span may represent an event from shortly after its beginning.
      if (newest > (first === 0 ? 0 : first + sampleSpanSeconds)) return newest
    }
    return undefined
  }

  /** Splits the time between into slices with a bounded number of ids, latest first. */
  async #slices(scope: DigestedScope, { first, last }: Slice): Promise<Slice[]> {
    const result = await this.#clickhouse.query({
      query: `select toFloat64(intDiv(toUnixTimestamp64Milli(received_at), ${sliceStepSeconds * 1000})) as step,
                toUInt32(sum(1 + length(sampled_ids))) as ids
              from events where ${rowsIn(scope, { first, last })} group by step order by step desc`,
      format: 'JSONEachRow',
    })
    const steps = await result.json<{ step: number; ids: number }>()
    const slices: { first: number; last: number; ids: number }[] = []
    for (const { step, ids } of steps) {
      const start = step * sliceStepSeconds
      const open = slices.at(-1)
      if (open !== undefined && open.ids + ids <= sliceIdsMax) {
        open.first = start
        open.ids += ids
      } else {
        slices.push({ first: start, last: start + sliceStepSeconds - 1, ids })
      }
    }
    return slices
  }

  async #number(query: string): Promise<number> {
    const result = await this.#clickhouse.query({ query, format: 'JSONEachRow' })
    const [row] = await result.json<{ n: number }>()
    return row?.n ?? 0
  }

  async #readIds(rows: string, visit: (row: IdRow) => void): Promise<void> {
    const { stream } = await this.#clickhouse.exec({
      query: `select project_id, id, second from (
          select project_id, event_id, sampled_ids, sampled_received_at, ${receivedSecond} as received
          from events where ${rows}
        ) array join arrayPushBack(sampled_ids, event_id) as id,
          arrayPushBack(arrayMap(at -> toUInt32(at), sampled_received_at), received) as second
        format RowBinary`,
    })
    await forEachIdRow(stream, visit)
  }
}

function enterRow(window: IdWindow, { projectId, w0, w1, w2, w3, second }: IdRow): void {
  const { fingerprinter } = window
  fingerprinter.ofWords(projectId, w0, w1, w2, w3)
  window.enter(fingerprinter.a, fingerprinter.b, fingerprinter.c, second)
}

/** Whether the id of a row of a former layout belongs to this partition now. */
function isOwn({ partition, layout }: DigestedScope, { projectId, hex }: IdRow): boolean {
  if (layout === undefined || layout.first === 0) return true
  const index = partitionOf(projectId, Buffer.from(hex, 'hex'), 0, layout.partitions)
  return layout.first + index === partition
}

function rowsIn(scope: DigestedScope, { first, last }: Slice) {
  const { partition, generation, committedSeq, layout } = scope
  // The projection is ordered by partition, so these are ranges of it.
  const former = layout === undefined ? 0 : layout.first
  return `(partition = ${partition} or partition < ${former})
    and received_at >= fromUnixTimestamp64Milli(${first * 1000}, 'UTC')
    and received_at < fromUnixTimestamp64Milli(${(last + 1) * 1000}, 'UTC')
    and (partition < ${former} or stream_generation < ${generation}
      or stream_generation = ${generation} and stream_seq <= ${committedSeq})`
}

function idName({ projectId, recordId }: { projectId: ProjectId; recordId: string }): string {
  return `${projectId} ${recordId}`
}
