/** The files of a project's events, with their contents. */
import { createHash } from 'node:crypto'
import { attachmentKey } from '#platform/objects/attachment-key.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import type { Pool } from '#platform/postgres.ts'
import { undashed } from '#schemas/ids.ts'

export interface StoredFile {
  /** Of its event, without dashes. */
  readonly eventId: string
  readonly name: string
  /** Undefined if there is no object, or not the one that the row says. */
  readonly content: string | undefined
}

interface Row {
  readonly event_id: string
  readonly name: string
  readonly size: number
  readonly sha256: string
  readonly stored_on: string
}

export async function readFiles(
  pg: Pool,
  objects: ObjectStore,
  projectId: number,
): Promise<StoredFile[]> {
  const { rows } = await pg.query<Row>(
    `select event_id, name, size::float8 as size, encode(sha256, 'hex') as sha256,
       stored_on::text as stored_on
     from event_attachments where project_id = $1 order by event_id, id`,
    [projectId],
  )
  return Promise.all(
    rows.map(async (row) => ({
      eventId: undashed(row.event_id),
      name: row.name,
      content: await contentOf(row, objects, projectId),
    })),
  )
}

async function contentOf(
  { size, sha256, stored_on: storedOn }: Row,
  objects: ObjectStore,
  projectId: number,
): Promise<string | undefined> {
  const content = await objects.get(attachmentKey({ projectId, storedOn, sha256 }))
  if (content === undefined || content.length !== size) return undefined
  const found = createHash('sha256').update(content).digest('hex')
  return found === sha256 ? content.toString() : undefined
}
