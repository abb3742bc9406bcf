/**
 * Copies the files of events into a backup, as sets of objects by day and project. A file that the
 * place holds already is not read again.
 */
import {
  type AttachmentObject,
  attachmentKey,
  attachmentProjectPrefix,
} from '#platform/objects/attachment-key.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import type { Manifest, ObjectRef } from '#schemas/backup/manifest.ts'
import type { ObjectWriter } from '../objects/object-writer.ts'
import type { Connection } from '../postgres/connection-store.ts'

type Sets = Manifest['sets']

interface Listed extends AttachmentObject {
  readonly size: number
}

const pageMax = 10_000

export interface DumpAttachments {
  /** In the transaction of the backup's point in time. */
  readonly snapshot: Connection
  readonly objects: ObjectStore
  readonly writer: ObjectWriter
  readonly say: (line: string) => void
}

export async function dumpAttachments(options: DumpAttachments): Promise<Sets> {
  const { objects, writer, say } = options
  const sets = new Map<string, ObjectRef[]>()
  let copied = 0
  let missing = 0
  for await (const file of listFiles(options.snapshot)) {
    const ref = writer.refOf(file.sha256, file.size) ?? (await copy(file))
    if (ref === undefined) {
      missing += 1
      continue
    }
    const name = setName(file)
    const set = sets.get(name)
    if (set === undefined) sets.set(name, [ref])
    else set.push(ref)
    copied += 1
  }
  if (copied > 0) say(`Copied ${copied} files of events.`)
  if (missing > 0) say(`${missing} files of events are missing in ${objects.name}.`)
  return [...sets].map(([name, refs]) => ({ name, objects: refs }))

  async function copy(file: Listed): Promise<ObjectRef | undefined> {
    const bytes = await objects.get(attachmentKey(file))
    if (bytes === undefined) return undefined
    return (await writer.add({ bytes, rows: 1 })).done
  }
}

function setName({ projectId, storedOn }: AttachmentObject): string {
  return attachmentProjectPrefix(projectId, storedOn).slice(0, -1)
}

async function* listFiles(snapshot: Connection): AsyncIterable<Listed> {
  let after: readonly [string, number, string] = ['-infinity', 0, '']
  while (true) {
    const { rows } = await snapshot.query<{
      stored_on: string
      project_id: string
      sha256: string
      size: string
    }>(
      `select stored_on::text, project_id, encode(sha256, 'hex') as sha256, max(size) as size
       from event_attachments
       where (stored_on, project_id, sha256) > ($1::date, $2::bigint, decode($3, 'hex'))
       group by event_attachments.stored_on, project_id, event_attachments.sha256
       order by event_attachments.stored_on, project_id, event_attachments.sha256 limit $4`,
      [...after, pageMax],
    )
    for (const row of rows) {
      const { stored_on: storedOn, project_id: project, sha256, size } = row
      yield { storedOn, projectId: Number(project), sha256, size: Number(size) }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageMax) return
    after = [last.stored_on, Number(last.project_id), last.sha256]
  }
}
