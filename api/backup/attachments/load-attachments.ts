/** Puts the files of events of a backup into the object store, under the keys they had. */
import { attachmentKey } from '#platform/objects/attachment-key.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import type { Manifest, ObjectRef } from '#schemas/backup/manifest.ts'

const setPattern = /^attachments\/(\d{4}-\d\d-\d\d)\/(\d{1,15})$/

/** Returns their number. Writing a file again changes nothing. */
export async function loadAttachments(
  { sets }: Manifest,
  objects: ObjectStore,
  read: (refs: readonly ObjectRef[]) => AsyncIterable<Buffer>,
): Promise<number> {
  let count = 0
  for (const { name, objects: refs } of sets) {
    const [, storedOn, project] = setPattern.exec(name) ?? []
    if (storedOn === undefined || project === undefined) continue
    let index = 0
    for await (const bytes of read(refs)) {
      const { sha256 } = refs[index]!
      await objects.put(attachmentKey({ storedOn, projectId: Number(project), sha256 }), bytes)
      index += 1
    }
    count += index
  }
  return count
}
