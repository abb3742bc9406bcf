/**
 * Dead letters for operators, who list, retry and delete them. Workers carry out the retries
 * (workers/dead-letters/dead-letter-store.ts).
 */
import { type DeadLetterReason, deadLetterReasons } from '#schemas/dead-letter.ts'
import type { Database } from '../database.ts'

/** Dead letters that one call changes. The result says how many are left. */
export const changedDeadLettersMax = 10_000

export interface StoredDeadLetter {
  readonly id: number
  readonly created_at: Date
  /** The DSN number; null for an unreadable frame. */
  readonly project_id: number | null
  /** Null for an unreadable frame, and when the project was deleted. */
  readonly project_name: string | null
  readonly project_uuid: string | null
  readonly organization_id: string | null
  readonly reason: DeadLetterReason
  readonly detail: string
  /**
   * Null for an unreadable frame, and for rows of versions that did not store what a retry needs.
   */
  readonly kind: string | null
  readonly record_id: string | null
  readonly received_at: Date | null
  readonly partition: number
  readonly stream_seq: number
  readonly payload_bytes: number
  readonly retry_requested_at: Date | null
}

export interface DeadLetterDetails extends StoredDeadLetter {
  readonly generation: number
  readonly record_index: number
  readonly dsn_key_no: number | null
  readonly address: string | null
  readonly header: object | null
  readonly retry_sent_at: Date | null
  readonly bytes: Buffer
}

/** Selects dead letters. A condition that is left out selects all. */
export interface DeadLetterFilter {
  readonly id?: number | undefined
  readonly ids?: readonly number[] | undefined
  /** The DSN number. */
  readonly projectId?: number | undefined
  readonly reason?: DeadLetterReason | undefined
  /** Excludes dead letters of projects of other organizations. */
  readonly organizationId?: string | undefined
}

const columns = `d.id, d.created_at, d.project_id, p.name as project_name, p.id as project_uuid, p.organization_id, d.reason, d.detail, d.kind,
  d.record_id, d.received_at, d.partition, d.stream_seq, octet_length(d.bytes) as payload_bytes, d.retry_requested_at`

const withProject = 'dead_letters d left join projects p on p.dsn_id = d.project_id'

const matching = `($1::bigint is null or d.id = $1) and ($2::bigint is null or d.project_id = $2)
  and ($3::text is null or d.reason = $3)
  and ($4::uuid is null or p.organization_id is null or p.organization_id = $4)
  and ($5::bigint[] is null or d.id = any($5))`

/** The selected dead letters with their projects. */
const named = `${withProject} where ${matching}`

/** The oldest $6 of them that meet the condition and are not being retried, locked. */
const chosen = (condition = 'true') => `chosen as (
  select d.id, p.organization_id from ${named} and d.retry_requested_at is null and ${condition}
  order by d.id limit $6 for update of d
)`

function valuesOf({ id, projectId, reason, organizationId, ids }: DeadLetterFilter) {
  return [id ?? null, projectId ?? null, reason ?? null, organizationId ?? null, ids ?? null]
}

/** Newest first. */
export async function listDeadLetters(
  pg: Database,
  filter: DeadLetterFilter,
  limit: number,
  beforeId?: number,
): Promise<StoredDeadLetter[]> {
  const { rows } = await pg.query<StoredDeadLetter>(
    `select ${columns} from ${named} and ($7::bigint is null or d.id < $7) order by d.id desc limit $6`,
    [...valuesOf(filter), limit, beforeId ?? null],
  )
  return rows
}

export async function findDeadLetter(
  pg: Database,
  id: number,
): Promise<DeadLetterDetails | undefined> {
  const { rows } = await pg.query<DeadLetterDetails>(
    `select ${columns}, d.generation, d.record_index, d.dsn_key_no, host(d.address) as address,
       d.header, d.retry_sent_at, d.bytes
     from ${withProject} where d.id = $1`,
    [id],
  )
  return rows[0]
}

/** A dead letter that was changed, with the organization of its project. */
export interface ChangedDeadLetter {
  readonly id: number
  readonly organization_id: string | null
}

/** Marks the oldest `limit` dead letters that can be retried and are not being retried. */
export async function requestRetries(
  pg: Database,
  filter: DeadLetterFilter,
  limit: number,
): Promise<ChangedDeadLetter[]> {
  const { rows } = await pg.query<ChangedDeadLetter>(
    `with ${chosen('d.kind is not null and p.dsn_id is not null')}
     update dead_letters set retry_requested_at = now() from chosen where dead_letters.id = chosen.id
     returning dead_letters.id, chosen.organization_id`,
    [...valuesOf(filter), limit],
  )
  return rows
}

/** Deletes the oldest `limit` dead letters, except those that are being retried. */
export async function dropDeadLetters(
  pg: Database,
  filter: DeadLetterFilter,
  limit: number,
): Promise<ChangedDeadLetter[]> {
  const { rows } = await pg.query<ChangedDeadLetter>(
    `with ${chosen()}
     delete from dead_letters using chosen where dead_letters.id = chosen.id
     returning dead_letters.id, chosen.organization_id`,
    [...valuesOf(filter), limit],
  )
  return rows
}

export interface RemainingDeadLetters {
  readonly retrying: number
  /** Unreadable frames, those of deleted projects, and rows without what a retry needs. */
  readonly not_retryable: number
  readonly total: number
}

export async function countDeadLetters(
  pg: Database,
  filter: DeadLetterFilter,
): Promise<RemainingDeadLetters> {
  const { rows } = await pg.query<RemainingDeadLetters>(
    `select count(*) as total,
       count(*) filter (where d.retry_requested_at is not null) as retrying,
       count(*) filter (where d.retry_requested_at is null and (d.kind is null or p.dsn_id is null)) as not_retryable
     from ${named}`,
    valuesOf(filter),
  )
  return rows[0]!
}

/** Dead letters of one reason that are counted. */
const countedMax = 10_000

export interface ReasonFigures {
  readonly reason: string
  readonly count: number
  readonly oldest: Date
  readonly newest: Date
}

/** Reads at most `countedMax` entries of an index for each reason. */
export async function countDeadLettersByReason(pg: Database): Promise<ReasonFigures[]> {
  const { rows } = await pg.query<ReasonFigures>(
    `select r.reason, counted.count, oldest.created_at as oldest, newest.created_at as newest
     from unnest($1::text[]) r(reason),
       lateral (select count(*) from (select 1 from dead_letters d where d.reason = r.reason limit $2) d) counted(count),
       lateral (select created_at from dead_letters d where d.reason = r.reason order by id limit 1) oldest,
       lateral (select created_at from dead_letters d where d.reason = r.reason order by id desc limit 1) newest`,
    [deadLetterReasons, countedMax],
  )
  return rows
}
