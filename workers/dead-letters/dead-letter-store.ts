/**
 * Dead letters in Postgres: stored by the commit of the range that could not digest them, published
 * again on request, and deleted by the commit of the retried record, or after their retention.
 */

import type { Pool, PoolClient } from '#platform/postgres.ts'
import type { RecordKind } from '#schemas/bus/frame.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { DeadRecordReason } from '#schemas/dead-letter.ts'
import { type DsnKeyNo, dashed, type ProjectId, undashed } from '#schemas/ids.ts'
import { deleteInBatches } from '../delete-in-batches.ts'
import type { Cursor } from '../partitions/ports.ts'
import type { DeadLetter } from './dead-letter.ts'

export async function insertDeadLetters(
  client: PoolClient,
  cursor: Cursor,
  deadLetters: readonly DeadLetter[],
): Promise<void> {
  for (const { record, ...deadLetter } of deadLetters) {
    await client.query(
      `insert into dead_letters (partition, generation, stream_seq, record_index, project_id, reason, detail, bytes,
         kind, dsn_key_no, received_at, record_id, address, header)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11::float8 / 1000), $12, $13, $14)
       on conflict do nothing`,
      [
        cursor.partition,
        cursor.generation,
        deadLetter.streamSeq,
        deadLetter.recordIndex,
        deadLetter.projectId ?? null,
        deadLetter.reason,
        deadLetter.detail,
        deadLetter.bytes,
        record?.kind ?? null,
        record?.dsnKeyNo ?? null,
        record?.receivedAtMs ?? null,
        record === undefined ? null : dashed(record.recordId),
        record?.address ?? null,
        record?.header ?? null,
      ],
    )
  }
}

/** Deletes dead letters in the transaction of the commit that has digested their records. */
export async function deleteRetriedDeadLetters(
  client: PoolClient,
  deadLetterIds: readonly number[],
): Promise<void> {
  await client.query('delete from dead_letters where id = any($1)', [deadLetterIds])
}

/** A dead letter whose retry was requested, before it has a frame. */
export interface RequestedDeadLetter {
  readonly id: number
  /** The partition it was read from. */
  readonly partition: number
  readonly projectId: ProjectId
  readonly recordId: string
  readonly payloadBytes: number
}

/**
 * Locks and returns the oldest dead letters without a frame, except those that another process has
 * locked. A frame of a partition that no longer exists does not count: the streams were deleted,
 * and the frame with them.
 */
export async function lockRequested(
  client: PoolClient,
  { layout, limit }: { readonly layout: IngestLayout; readonly limit: number },
): Promise<RequestedDeadLetter[]> {
  const { rows } = await client.query<{
    id: number
    partition: number
    project_id: ProjectId
    record_id: string
    payload_bytes: number
  }>(
    `select id, partition, project_id, record_id, octet_length(bytes) as payload_bytes
     from dead_letters
     where retry_requested_at is not null and (retry_instance_id is null or not retry_partition between $1 and $2)
     order by id limit $3 for update skip locked`,
    [layout.first, layout.first + layout.partitions - 1, limit],
  )
  return rows.map((row) => ({
    id: row.id,
    partition: row.partition,
    projectId: row.project_id,
    recordId: undashed(row.record_id),
    payloadBytes: row.payload_bytes,
  }))
}

/** The end-to-end number of a frame of dead letters; its counter is `firstFrameCounter`. */
export interface RetryFrame {
  /** 32 lowercase hex digits. */
  readonly instanceId: string
  readonly partition: number
}

export async function assignFrame(
  client: PoolClient,
  { instanceId, partition }: RetryFrame,
  deadLetterIds: readonly number[],
): Promise<void> {
  await client.query(
    `update dead_letters set retry_instance_id = $1, retry_partition = $2, retry_sent_at = null
     where id = any($3)`,
    [dashed(instanceId), partition, deadLetterIds],
  )
}

/**
 * Longer than any range takes without failures. A frame that no commit has named by then is
 * published again.
 */
const resendAfter = '60 seconds'

/** Frames that were never published, or not committed since. */
export async function listFramesToPublish(pg: Pool, limit: number): Promise<RetryFrame[]> {
  const { rows } = await pg.query<{ retry_instance_id: string; retry_partition: number }>(
    `select retry_instance_id, retry_partition from dead_letters
     where retry_requested_at is not null and retry_instance_id is not null
       and (retry_sent_at is null or retry_sent_at < now() - interval '${resendAfter}')
     group by 1, 2 order by min(id) limit $1`,
    [limit],
  )
  return rows.map((row) => ({
    instanceId: undashed(row.retry_instance_id),
    partition: row.retry_partition,
  }))
}

/** A dead letter with the fields that are published again. */
export interface RetriedDeadLetter {
  readonly id: number
  readonly reason: DeadRecordReason
  readonly kind: RecordKind
  readonly projectId: ProjectId
  readonly dsnKeyNo: DsnKeyNo
  readonly receivedAtMs: number
  /** 16 bytes. */
  readonly recordId: Buffer
  /** 4 or 16 bytes. */
  readonly address: Buffer | undefined
  readonly header: object
  readonly payload: Buffer
}

/**
 * Returns all dead letters of the frame, in order, or none after a commit has digested it. A single
 * statement sees all or none of a commit.
 */
export async function readFrameDeadLetters(
  pg: Pool,
  { instanceId }: RetryFrame,
): Promise<RetriedDeadLetter[]> {
  const { rows } = await pg.query<{
    id: number
    reason: DeadRecordReason
    kind: RecordKind
    project_id: ProjectId
    dsn_key_no: DsnKeyNo
    received_at_ms: number
    record_id: string
    address: Buffer | null
    header: object
    bytes: Buffer
  }>(
    // inet_send: family, prefix length, is_cidr, byte count, and then the bytes of the address.
    `select id, reason, kind, project_id, dsn_key_no, record_id, header, bytes,
       round(extract(epoch from received_at) * 1000)::bigint as received_at_ms,
       substring(inet_send(address) from 5) as address
     from dead_letters where retry_instance_id = $1 and retry_requested_at is not null order by id`,
    [dashed(instanceId)],
  )
  return rows.map((row) => ({
    id: row.id,
    reason: row.reason,
    kind: row.kind,
    projectId: row.project_id,
    dsnKeyNo: row.dsn_key_no,
    receivedAtMs: row.received_at_ms,
    recordId: Buffer.from(undashed(row.record_id), 'hex'),
    address: row.address ?? undefined,
    header: row.header,
    payload: row.bytes,
  }))
}

/** Rows that the frame's commit has locked are skipped: it is about to delete them. */
export async function markFramePublished(pg: Pool, { instanceId }: RetryFrame): Promise<void> {
  await pg.query(
    `update dead_letters set retry_sent_at = now() where id in (
       select id from dead_letters where retry_instance_id = $1 and retry_requested_at is not null
       for update skip locked
     )`,
    [dashed(instanceId)],
  )
}

export async function countDeadLetters(pg: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pg.query<{ reason: string; count: number }>(
    'select reason, count(*) as count from dead_letters group by reason',
  )
  return new Map(rows.map(({ reason, count }) => [reason, count]))
}

/**
 * Deletes the dead letters that are older than the retention of their project. Those without a
 * project have the retention of the installation, and those that are being retried stay. Deletes in
 * bounded batches; the next call deletes the rest. @param retentionDays for projects without their
 * own setting. @returns how many were deleted.
 */
export function expireDeadLetters(
  pg: Pool,
  {
    now,
    retentionDays,
    signal,
  }: { readonly now: Date; readonly retentionDays: number; readonly signal?: AbortSignal },
): Promise<number> {
  const expire = async (pool: Pool, { before, rowsMax }: { before: Date; rowsMax: number }) => {
    const { rowCount } = await pool.query(
      `delete from dead_letters where id = any(array(
         select d.id from dead_letters d left join projects p on p.dsn_id = d.project_id
         where d.retry_requested_at is null and d.created_at <
           $1::timestamptz - make_interval(days => coalesce((p.settings ->> 'retention_days')::int, $3))
         order by d.id limit $2 for update of d skip locked
       ))`,
      [before, rowsMax, retentionDays],
    )
    return rowCount ?? 0
  }
  return deleteInBatches(expire, pg, now, signal)
}
