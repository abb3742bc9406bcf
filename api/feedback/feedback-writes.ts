/**
 * Writes of the API to the table `feedback`. Each function returns the number of rows that it
 * changed.
 */
import type {
  FeedbackChange,
  FeedbackSource,
  FeedbackStatus,
  FeedbackType,
} from '#schemas/rest/portal/feedback.ts'
import type { Database } from '../database.ts'

export interface NewFeedbackRow {
  readonly id: string
  readonly message: string
  readonly type: FeedbackType
  readonly status: FeedbackStatus
  readonly source: FeedbackSource
  readonly path: string | null
  readonly version: string | null
  readonly environment: string | null
  readonly component: string | null
  readonly person_name: string | null
  readonly person_email: string | null
  readonly enduser_id: string | null
  readonly archived: boolean
  /** Text, because a Date would lose the microseconds. */
  readonly created_at: Date | string
  /** Null or omitted: the time of the write. */
  readonly updated_at?: string | null
  /** The event that it is about; the workers find its issue. */
  readonly event_id?: string | null
}

/** Rows whose id exists already are not added. Returns the number of new rows. */
export async function addFeedback(
  pg: Database,
  { dsnId, rows, at }: { dsnId: number; rows: readonly NewFeedbackRow[]; at: Date },
): Promise<number> {
  const { rowCount } = await pg.query(
    `insert into feedback (project_id, id, message, type, status, source, path, version, environment, component,
       person_name, person_email, enduser_id, archived, event_id, look_at, created_at, updated_at)
     select $1, id, message, type, status, source, path, version, environment, component,
       person_name, person_email, enduser_id, archived, event_id, case when event_id is not null then $3::timestamptz end,
       created_at, coalesce(updated_at, $3)
     from jsonb_to_recordset($2) as said (id uuid, message text, type text, status text, source text, path text, version text,
       environment text, component text, person_name text, person_email text, enduser_id text, archived boolean,
       event_id uuid, created_at timestamptz, updated_at timestamptz)
     on conflict (project_id, id) do nothing`,
    [dsnId, JSON.stringify(rows), at],
  )
  return rowCount ?? 0
}

/** A `New` item that gets a type becomes `Active`, unless the change has a status. */
export async function changeFeedback(
  pg: Database,
  {
    dsnId,
    ids,
    change,
    at,
  }: { dsnId: number; ids: readonly string[]; change: FeedbackChange; at: Date },
): Promise<number> {
  const { rowCount } = await pg.query(
    `update feedback set type = coalesce($4, type), archived = coalesce($5, archived), updated_at = $6,
       status = coalesce($3, case when status = 'New' and $4::text is not null then 'Active' else status end)
     where project_id = $1 and id = any($2)`,
    [dsnId, ids, change.status ?? null, change.type ?? null, change.archived ?? null, at],
  )
  return rowCount ?? 0
}

export async function removeFeedback(
  pg: Database,
  { dsnId, ids }: { dsnId: number; ids: readonly string[] },
): Promise<number> {
  const { rowCount } = await pg.query(
    'delete from feedback where project_id = $1 and id = any($2)',
    [dsnId, ids],
  )
  return rowCount ?? 0
}
