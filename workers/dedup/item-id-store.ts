/**
 * Ids of items other than events, kept for the deduplication window. The commit that counts the
 * items stores them, so every id here was counted, and the next owner of a partition finds all of
 * them.
 */
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import type { ItemId } from '../digest/free-records.ts'
import { type IdWindow, latenessSeconds, repeats, secondOf } from './id-window.ts'
import type { LateId } from './known-ids.ts'

/** Rows per query while a window is filled. */
const pageRowsMax = 50_000
/** Maximum number of rows that one commit removes: what it adds and some more. */
const removedMin = 1_000
const removedPerKept = 2

/** The time for which a window keeps an id. */
const keptMs = dedupWindowMs + latenessSeconds * 1000

export async function keepItemIds(
  client: PoolClient,
  { partition, first: firstPartition }: ItemScope,
  ids: readonly ItemId[],
): Promise<void> {
  await client.query(
    `insert into item_ids (partition, received_at, project_id, record_id)
     select $1, to_timestamp(ms / 1000.0), project_id, record_id
     from unnest($2::float8[], $3::bigint[], $4::uuid[]) as ids (ms, project_id, record_id)`,
    [
      partition,
      ids.map(({ receivedAtMs }) => receivedAtMs),
      ids.map(({ projectId }) => projectId),
      ids.map(({ recordId }) => dashed(recordId)),
    ],
  )
  // All partitions delete the ids of former ones, and must not wait for each other's commit.
  const newestMs = ids.reduce((newest, { receivedAtMs }) => Math.max(newest, receivedAtMs), 0)
  await client.query(
    `delete from item_ids where ctid = any(array(
       select ctid from item_ids
       where (partition = $1 or partition < $4) and received_at < to_timestamp($2 / 1000.0)
       order by received_at limit $3 for update skip locked
     ))`,
    [
      partition,
      newestMs - keptMs,
      Math.max(removedMin, ids.length * removedPerKept),
      firstPartition,
    ],
  )
}

/**
 * A partition and those before `first`, which belong to former layouts. An item of theirs may be
 * repeated in any partition of the present layout, because items are not all assigned by their ids.
 */
export interface ItemScope {
  readonly partition: number
  readonly first: number
}

interface IdRow {
  readonly ms: number
  readonly project_id: ProjectId
  readonly record_id: string
}

/** Reads ids until the window keeps no more, one partition after the other. */
export async function readItemIds(
  pg: Pool,
  { partition, first }: ItemScope,
  window: IdWindow,
): Promise<void> {
  await readPartition(pg, partition, window)
  if (first === 0) return
  const { rows } = await pg.query<{ partition: number }>(
    'select distinct partition from item_ids where partition < $1 order by partition desc',
    [first],
  )
  for (const former of rows) await readPartition(pg, former.partition, window)
}

/** Newest first, in the order of an index that begins with the partition. */
async function readPartition(pg: Pool, partition: number, window: IdWindow): Promise<void> {
  const { fingerprinter } = window
  let beforeMs = Number.MAX_SAFE_INTEGER
  let oldestMs = 0
  while (true) {
    const { rows } = await pg.query<IdRow>(
      `select (extract(epoch from received_at) * 1000)::float8 as ms, project_id, record_id
       from item_ids
       where partition = $1
         and received_at < to_timestamp($2 / 1000.0) and received_at >= to_timestamp($3 / 1000.0)
       order by received_at desc fetch first $4 rows with ties`,
      [partition, beforeMs, oldestMs, pageRowsMax],
    )
    const [first] = rows
    const last = rows.at(-1)
    if (first === undefined || last === undefined) return
    if (oldestMs === 0) oldestMs = Math.max(1, first.ms - keptMs)
    for (const { ms, project_id, record_id } of rows) {
      fingerprinter.ofBytes(project_id, Buffer.from(record_id.replaceAll('-', ''), 'hex'), 0)
      window.enter(fingerprinter.a, fingerprinter.b, fingerprinter.c, secondOf(ms))
    }
    if (rows.length < pageRowsMax || secondOf(last.ms) < window.floorSecond) return
    beforeMs = last.ms
  }
}

export async function itemIdsAmong(
  pg: Pool,
  { partition, first: firstPartition }: ItemScope,
  ids: readonly LateId[],
): Promise<readonly boolean[]> {
  if (ids.length === 0) return []
  const times = ids.map(({ receivedAtMs }) => receivedAtMs)
  const { rows } = await pg.query<IdRow>(
    `select (extract(epoch from received_at) * 1000)::float8 as ms, project_id, record_id
     from item_ids
     where (partition = $1 or partition < $5) and record_id = any($2::uuid[])
       and received_at between to_timestamp($3 / 1000.0) and to_timestamp($4 / 1000.0)`,
    [
      partition,
      ids.map(({ recordId }) => dashed(recordId)),
      Math.min(...times) - keptMs,
      Math.max(...times) + keptMs,
      firstPartition,
    ],
  )
  const known = new Map<string, number[]>()
  for (const { ms, project_id, record_id } of rows) {
    const name = `${project_id} ${record_id}`
    known.set(name, [...(known.get(name) ?? []), secondOf(ms)])
  }
  return ids.map(({ projectId, recordId, receivedAtMs }) => {
    const seconds = known.get(`${projectId} ${dashed(recordId)}`) ?? []
    return seconds.some((second) => repeats(second, secondOf(receivedAtMs)))
  })
}
