/** The sweep of attachments on Postgres and the object store. */
import {
  type AttachmentObject,
  attachmentDayPrefix,
  attachmentKey,
  readAttachmentKey,
} from '#platform/objects/attachment-key.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import type { Pool } from '#platform/postgres.ts'
import {
  isStreamReplaced,
  type Positions,
  partitionsBehind,
  readEnds,
  type StreamEnds,
} from '../removals/stream-passed-store.ts'
import type { SweepPorts } from './sweep-attachments.ts'

export interface SweepContext {
  readonly pg: Pool
  readonly objects: ObjectStore
  readonly ends: StreamEnds
  readonly nowMs: () => number
  readonly signal: AbortSignal
}

/** Rows of days that were swept, for people who look into an incident. */
const keptDays = 30

export function sweepPorts(ctx: SweepContext): SweepPorts {
  const { pg, objects, signal, nowMs } = ctx
  return {
    lastSwept: async () => {
      const { rows } = await pg.query<{ day: string | null }>(
        'select max(day)::text as day from attachment_sweeps where swept_at is not null',
      )
      return rows[0]?.day ?? undefined
    },
    hasPassed: (day) => hasPassed(ctx, day),
    listDay: (day) => listDay(objects, day),
    withoutRow: (found) => withoutRow(pg, found),
    removeObject: (object) => objects.remove(attachmentKey(object)),
    finishDay: async (day) => {
      await pg.query('update attachment_sweeps set swept_at = now() where day = $1', [day])
      await pg.query(
        `delete from attachment_sweeps
         where swept_at < now() - $1 * interval '1 day'
           and day < (select max(day) from attachment_sweeps where swept_at is not null)`,
        [keptDays],
      )
    },
    listRemovals: (sweptUntil, limit) => listRemovals(pg, sweptUntil, limit),
    finishRemovals: async (done) => {
      await pg.query(
        `delete from attachment_removals where (stored_on, project_id, sha256) in (
           select day, project, decode(hash, 'hex')
           from unnest($1::date[], $2::bigint[], $3::text[]) as done (day, project, hash))`,
        columnsOf(done),
      )
    },
    nowMs,
    throwIfDraining: () => signal.throwIfAborted(),
  }
}

async function* listDay(objects: ObjectStore, day: string): AsyncIterable<AttachmentObject> {
  for await (const { key } of objects.list(attachmentDayPrefix(day))) {
    const object = readAttachmentKey(key)
    if (object !== undefined) yield object
  }
}

async function withoutRow(
  pg: Pool,
  objects: readonly AttachmentObject[],
): Promise<AttachmentObject[]> {
  const { rows } = await pg.query<{ no: number }>(
    `select no::int from unnest($1::date[], $2::bigint[], $3::text[]) with ordinality
       as object (day, project, hash, no)
     where not exists (
       select from event_attachments
       where stored_on = day and project_id = project and sha256 = decode(hash, 'hex'))`,
    columnsOf(objects),
  )
  return rows.map(({ no }) => objects[no - 1]!)
}

async function listRemovals(
  pg: Pool,
  sweptUntil: string | undefined,
  limit: number,
): Promise<AttachmentObject[]> {
  const { rows } = await pg.query<{ project_id: number; stored_on: string; sha256: string }>(
    `select project_id, stored_on::text, encode(sha256, 'hex') as sha256 from attachment_removals
     where stored_on <= $1 or project_id in (select dsn_id from deleted_projects)
     order by stored_on, project_id, sha256 limit $2`,
    [sweptUntil ?? null, limit],
  )
  return rows.map((row) => ({
    projectId: Number(row.project_id),
    storedOn: row.stored_on,
    sha256: row.sha256,
  }))
}

/**
 * The ends of the partitions are written down when the day is looked at first; the day has passed
 * when the cursors are there and no write-ahead log holds an older frame.
 */
async function hasPassed({ pg, ends }: SweepContext, day: string): Promise<boolean> {
  const { rows } = await pg.query<{ positions: Positions; noted: Date }>(
    'select positions, noted_at as noted from attachment_sweeps where day = $1',
    [day],
  )
  const row = rows[0]
  if (row === undefined || (await isStreamReplaced(pg, row.positions))) {
    await note(pg, ends, day)
    return false
  }
  if ((await partitionsBehind(pg, row.positions)).length > 0) return false
  const { rowCount } = await pg.query(
    `select from ingest_boots
     where settled_at is null and started_at < $1
       and not coalesce(log_reported_at > $1 and (log_oldest_at is null or log_oldest_at > $1), false)
     limit 1`,
    [row.noted],
  )
  return rowCount === 0
}

async function note(pg: Pool, ends: StreamEnds, day: string): Promise<void> {
  const positions = await readEnds(pg, ends)
  if (positions === undefined) return
  await pg.query(
    `insert into attachment_sweeps (day, positions, noted_at) values ($1, $2, now())
     on conflict (day) do update set positions = excluded.positions, noted_at = excluded.noted_at`,
    [day, JSON.stringify(positions)],
  )
}

function columnsOf(objects: readonly AttachmentObject[]) {
  return [
    objects.map(({ storedOn }) => storedOn),
    objects.map(({ projectId }) => projectId),
    objects.map(({ sha256 }) => sha256),
  ]
}
