/** Rows of files of events. */
import type { EventId, ProjectId } from '#schemas/ids.ts'
import { dashed } from '#schemas/ids.ts'
import type { Database } from '../database.ts'

export interface StoredAttachment {
  readonly id: string
  readonly event_id: string
  readonly name: string
  readonly type: string
  readonly content_type: string | null
  readonly size: number
  readonly sha256: string
  readonly stored_on: string
  readonly received_at: Date
  readonly expires_at: Date
}

export interface EventPlace {
  readonly projectId: ProjectId
  readonly eventId: EventId
}

/** An event has a few; more come only from clients that send them in many requests. */
const listMax = 200

const columns = `id, event_id, name, type, content_type, size::float8 as size, encode(sha256, 'hex') as sha256,
  stored_on::text as stored_on, received_at, expires_at`

export async function listAttachments(
  pg: Database,
  { projectId, eventId }: EventPlace,
): Promise<readonly StoredAttachment[]> {
  const { rows } = await pg.query<StoredAttachment>(
    `select ${columns} from event_attachments
     where project_id = $1 and event_id = $2 order by received_at, name, id limit $3`,
    [projectId, dashed(eventId), listMax],
  )
  return rows
}

export async function findAttachment(
  pg: Database,
  { projectId, eventId }: EventPlace,
  id: string,
): Promise<StoredAttachment | undefined> {
  const { rows } = await pg.query<StoredAttachment>(
    `select ${columns} from event_attachments where project_id = $1 and event_id = $2 and id = $3`,
    [projectId, dashed(eventId), id],
  )
  return rows[0]
}

/** False when there is none. Its object is removed later by the workers. */
export async function deleteAttachmentRow(
  pg: Database,
  { projectId, eventId }: EventPlace,
  id: string,
): Promise<boolean> {
  const { rowCount } = await pg.query(
    'delete from event_attachments where project_id = $1 and event_id = $2 and id = $3',
    [projectId, dashed(eventId), id],
  )
  return rowCount === 1
}
