import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachmentKey } from '#platform/objects/attachment-key.ts'
import { FolderStore } from '#platform/objects/folder-store.ts'
import type { Pool } from '#platform/postgres.ts'
import type { Manifest } from '#schemas/backup/manifest.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { MemoryObjectStore } from '../../../test/fixtures/objects/memory-object-store.ts'
import { usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import { ObjectWriter } from '../objects/object-writer.ts'
import { readObject } from '../objects/read-object.ts'
import type { Connection } from '../postgres/connection-store.ts'
import { dumpAttachments } from './dump-attachments.ts'
import { loadAttachments } from './load-attachments.ts'

let pg: Pool
let project: ProjectId
let folder: string
usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function addFile(objects: MemoryObjectStore | undefined, content: string, day: string) {
  const sha256 = createHash('sha256').update(content).digest('hex')
  await pg.query(
    `insert into event_attachments (project_id, event_id, id, name, type, size, sha256, stored_on, received_at, expires_at)
     values ($1, gen_random_uuid(), gen_random_uuid(), 'a', 'event.attachment', $2, decode($3, 'hex'), $4, now(), now())`,
    [project, content.length, sha256, day],
  )
  const key = attachmentKey({ projectId: project, storedOn: day, sha256 })
  await objects?.put(key, Buffer.from(content))
}

test('files go into a backup and back under their keys; a second backup reads nothing again', async () => {
  const objects = new MemoryObjectStore()
  for (const day of ['2026-11-20', '2026-11-21']) {
    for (const content of ['one', 'two', 'one']) await addFile(objects, `${content} ${day}`, day)
  }
  await addFile(undefined, 'missing', '2026-11-21')
  const place = new FolderStore(folder)
  const said: string[] = []
  const dump = async (from: MemoryObjectStore) => {
    const writer = await ObjectWriter.open(place)
    const snapshot = pg as unknown as Connection
    const say = (line: string) => void said.push(line)
    const sets = await dumpAttachments({ snapshot, objects: from, writer, say })
    return { sets, written: writer.written.objects }
  }
  const first = await dump(objects)
  expect(first.written).toBe(4)
  expect(first.sets.map(({ name, objects: refs }) => [name, refs.length])).toEqual([
    [`attachments/2026-11-20/${project}`, 2],
    [`attachments/2026-11-21/${project}`, 2],
  ])
  expect(said.at(-1)).toBe('1 files of events are missing in memory.')
  const second = await dump(new MemoryObjectStore())
  expect(second).toEqual({ sets: first.sets, written: 0 })

  const restored = new MemoryObjectStore()
  const count = await loadAttachments(
    { sets: first.sets } as Manifest,
    restored,
    async function* (refs) {
      for (const ref of refs) {
        const found = await readObject(place, ref)
        if (found.kind === 'object') yield found.bytes
      }
    },
  )
  expect(count).toBe(4)
  expect(new Map([...restored.files].sort())).toEqual(new Map([...objects.files].sort()))
})
