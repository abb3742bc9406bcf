/** Rows of `event_attachments`: those that a commit adds, and those that go with their events. */
import type { Pool, PoolClient } from '#platform/postgres.ts'
import type { AttachmentRow } from './attachment-row.ts'

/** A record that is committed again changes nothing. */
export async function insertAttachments(
  client: PoolClient,
  attachments: readonly AttachmentRow[],
  projects: ReadonlySet<number>,
): Promise<void> {
  const rows = attachments.filter(({ projectId }) => projects.has(projectId))
  if (rows.length === 0) return
  await client.query(
    `insert into event_attachments (project_id, event_id, id, name, type, content_type, size, sha256,
       stored_on, received_at, expires_at)
     select "projectId", "eventId", id, name, type, "contentType", size, decode(sha256, 'hex'),
       "storedOn", at, at + "retentionDays" * interval '1 day'
     from jsonb_to_recordset($1) as sent ("projectId" bigint, "eventId" uuid, id uuid, name text, type text,
       "contentType" text, size bigint, sha256 text, "storedOn" date, "receivedAtMs" float8, "retentionDays" int)
     cross join lateral (select to_timestamp("receivedAtMs" / 1000.0) as at) as received
     on conflict do nothing`,
    [JSON.stringify(rows)],
  )
}

const pageMax = 5_000

/** The events of a project that have attachments, a page at a time. */
export async function* eventsWithAttachments(
  pg: Pool,
  projectId: number,
): AsyncIterable<readonly string[]> {
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    const { rows } = await pg.query<{ event_id: string }>(
      `select distinct event_id from event_attachments
       where project_id = $1 and event_id > $2 order by event_id limit $3`,
      [projectId, after, pageMax],
    )
    if (rows.length > 0) yield rows.map(({ event_id }) => event_id)
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageMax) return
    after = last.event_id
  }
}

/** Their objects are removed later (sweep-attachments.ts). Returns the number of rows. */
export async function deleteAttachments(
  pg: Pool | PoolClient,
  projectId: number,
  eventIds: readonly string[],
): Promise<number> {
  if (eventIds.length === 0) return 0
  const { rowCount } = await pg.query(
    'delete from event_attachments where project_id = $1 and event_id = any($2::uuid[])',
    [projectId, eventIds],
  )
  return rowCount ?? 0
}
