/**
 * Stores of the deletion of events: the list of deletions in Postgres, the rows in ClickHouse, and
 * the ids to remember.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import { deleteAttachments } from '../attachments/attachment-store.ts'
import { foundEvents } from '../attachments/found-events-store.ts'
import { latenessSeconds } from '../dedup/id-window.ts'
import { sampleSpanSeconds } from '../digest/issue-sampler.ts'
import type { Sleep } from '../partitions/ports.ts'
import type { DeletedRows, DeletionContext, IssueDeletion } from './delete-issue-events.ts'

/** Rows per page. Each row represents up to a thousand sampled events, most rows none. */
const pageRowsMax = 10_000
const idsPerInsertMax = 10_000
/** The id is kept as long as the dedup window would keep it. */
const keptMs = dedupWindowMs + (latenessSeconds + sampleSpanSeconds) * 1000
const waitMsMax = 120_000
const heldPollMs = 100

export interface DeletionStores {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly clock: Clock
  readonly sleep: Sleep
  /** Aborted when the process drains. Another process continues. */
  readonly signal: AbortSignal
}

export function deletionContext(stores: DeletionStores): DeletionContext {
  const { pg } = stores
  return {
    listUnfinished: (limit) => listUnfinished(pg, limit),
    keepIds: (rows) => keepIds(stores, rows),
    deleteAttachments: (rows) => removeAttachments(stores, rows),
    deleteRows: (rows) => deleteRows(stores, rows),
    finish: async (ids) => {
      await pg.query(
        'update issue_deletions set finished_at = now() where id = any($1) and finished_at is null',
        [ids],
      )
    },
  }
}

async function listUnfinished(pg: Pool, limit: number): Promise<IssueDeletion[]> {
  const { rows } = await pg.query<{
    id: string
    project_id: number
    hashes: string[]
    committed: IssueDeletion['committed'] | null
  }>(
    `select id::text, project_id, hashes,
       (select json_agg(json_build_object(
          'partition', partition, 'generation', generation, 'committedSeq', committed_seq))
        from unnest(partitions, generations, committed_seqs) as at (partition, generation, committed_seq)) as committed
     from issue_deletions where finished_at is null order by id limit $1`,
    [limit],
  )
  return rows.map(({ id, project_id, hashes, committed }) => {
    return { id, projectId: project_id, hashes, committed: committed ?? [] }
  })
}

/**
 * Copies the ids that duplicates are still checked against to the table of ids without rows.
 * Existing ones are skipped.
 */
async function keepIds({ pg, clickhouse, clock }: DeletionStores, rows: readonly DeletedRows[]) {
  const sinceMs = Math.max(0, clock.nowMs() - keptMs)
  let after = `(fromUnixTimestamp64Milli(${sinceMs}, 'UTC'), toUUID('00000000-0000-0000-0000-000000000000'))`
  while (true) {
    const result = await clickhouse.query({
      query: `select project_id, partition, event_id, toUnixTimestamp64Milli(received_at) as received,
                sampled_ids, arrayMap(at -> toUInt32(at), sampled_received_at) as sampled
              from events where (${conditionOf(rows)}) and (received_at, event_id) > ${after}
              order by received_at, event_id limit ${pageRowsMax}`,
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    })
    const page = await result.json<{
      project_id: number
      partition: number
      event_id: string
      received: number
      sampled_ids: string[]
      sampled: number[]
    }>()
    const ids = page.flatMap(({ project_id, partition, event_id, received, ...row }) => [
      { project_id, partition, id: event_id, ms: received },
      ...row.sampled_ids.map((id, at) => {
        return { project_id, partition, id, ms: (row.sampled[at] ?? 0) * 1000 }
      }),
    ])
    for (let start = 0; start < ids.length; start += idsPerInsertMax) {
      await insertIds(pg, ids.slice(start, start + idsPerInsertMax))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageRowsMax) return
    after = `(fromUnixTimestamp64Milli(${last.received}, 'UTC'), toUUID('${last.event_id}'))`
  }
}

interface KeptId {
  readonly project_id: number
  readonly partition: number
  readonly id: string
  readonly ms: number
}

async function insertIds(pg: Pool, ids: readonly KeptId[]): Promise<void> {
  await pg.query(
    `insert into item_ids (partition, received_at, project_id, record_id)
     select partition, to_timestamp(ms / 1000.0), project_id, id
     from unnest($1::int[], $2::float8[], $3::bigint[], $4::uuid[]) as new (partition, ms, project_id, id)
     where not exists (
       select from item_ids as known where known.partition = new.partition
         and known.received_at = to_timestamp(ms / 1000.0) and known.record_id = id
         and known.project_id = new.project_id
     )`,
    [
      ids.map(({ partition }) => partition),
      ids.map(({ ms }) => ms),
      ids.map(({ project_id }) => project_id),
      ids.map(({ id }) => id),
    ],
  )
}

/** Before the events, by which they are found. */
async function removeAttachments(
  { pg, clickhouse, signal }: DeletionStores,
  rows: readonly DeletedRows[],
): Promise<void> {
  for (const projectId of new Set(rows.map((row) => row.projectId))) {
    const condition = conditionOf(rows.filter((row) => row.projectId === projectId))
    for await (const ids of foundEvents({ pg, clickhouse, projectId, condition })) {
      await deleteAttachments(pg, projectId, ids)
      signal.throwIfAborted()
    }
  }
}

/** Deletes in a background mutation of ClickHouse, and polls until it is done. */
async function deleteRows(stores: DeletionStores, rows: readonly DeletedRows[]): Promise<void> {
  const { clickhouse, clock, sleep, signal } = stores
  const condition = conditionOf(rows)
  if ((await countRows(clickhouse, condition)) === 0) return
  await waitForBackup(stores)
  await clickhouse.command({
    query: `alter table events delete where ${condition}`,
    clickhouse_settings: { mutations_sync: '0' },
  })
  const deadlineMs = clock.monotonicMs() + waitMsMax
  let waitMs = 20
  while ((await countRows(clickhouse, condition)) > 0) {
    if (clock.monotonicMs() >= deadlineMs) throw new Error('events are still being deleted')
    await sleep(waitMs, signal)
    signal.throwIfAborted()
    waitMs = Math.min(waitMs * 2, 2_000)
  }
}

/**
 * A backup reads Postgres and then ClickHouse. Rows that go in between would have left their ids
 * behind in neither; their ids were stored before this wait.
 */
async function waitForBackup({ pg, clock, sleep, signal }: DeletionStores): Promise<void> {
  const deadlineMs = clock.monotonicMs() + waitMsMax
  while (true) {
    const { rowCount } = await pg.query('select from backup_holds where until > now() limit 1')
    if (rowCount === 0) return
    if (clock.monotonicMs() >= deadlineMs) throw new Error('a backup holds deletions for too long')
    await sleep(heldPollMs, signal)
    signal.throwIfAborted()
  }
}

async function countRows(clickhouse: ClickHouseClient, condition: string): Promise<number> {
  const result = await clickhouse.query({
    query: `select toUInt32(least(count(), 1)) as n from events where ${condition}`,
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ n: number }>()
  return row?.n ?? 0
}

/** Literals of our own numbers and hashes, which Postgres has checked by their types. */
function conditionOf(rows: readonly DeletedRows[]): string {
  return rows
    .map(({ projectId, hashes, committed }) => {
      const list = hashes.map((hash) => `'${hash}'`).join(', ')
      const digested = committed.map(
        ({ partition, generation, committedSeq }) =>
          `(partition = ${partition} and (stream_generation < ${generation}
            or stream_generation = ${generation} and stream_seq <= ${committedSeq}))`,
      )
      return `(project_id = ${projectId} and fingerprint in (${list}) and (${digested.join(' or ') || '0'}))`
    })
    .join(' or ')
}
