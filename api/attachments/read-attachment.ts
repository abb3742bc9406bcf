/** The bytes of a file of an event. */
import { attachmentKey } from '#platform/objects/attachment-key.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { AttachmentPreview } from '#schemas/rest/attachments/attachment.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { type EventPlace, findAttachment, type StoredAttachment } from './attachment-store.ts'
import { hierarchyBytesMax, showsOf, textOf, textPreviewBytesMax } from './attachment-view.ts'

type ReadContext = Pick<ApiContext, 'pg' | 'objects' | 'log'>

export interface ReadAttachment extends EventPlace {
  readonly id: string
}

/** Throws `not_found` for an unknown file, `unavailable` while the object store does not answer. */
export async function readAttachment(
  ctx: ReadContext,
  input: ReadAttachment,
): Promise<{ readonly row: StoredAttachment; readonly content: Buffer }> {
  const row = found(await findAttachment(ctx.pg, input, input.id))
  const { projectId } = input
  const key = attachmentKey({ projectId, storedOn: row.stored_on, sha256: row.sha256 })
  return { row, content: found(await readObject(ctx, key)) }
}

/** The beginning of a text, or a whole view hierarchy. Throws `not_found` for other files. */
export async function previewAttachment(
  ctx: ReadContext,
  input: ReadAttachment,
): Promise<AttachmentPreview> {
  const shown = showsOf(found(await findAttachment(ctx.pg, input, input.id)))
  if (shown !== 'text' && shown !== 'view_hierarchy') throw new CodedError('not_found')
  const { content } = await readAttachment(ctx, input)
  return textOf(content, shown === 'text' ? textPreviewBytesMax : hierarchyBytesMax)
}

async function readObject({ objects, log }: ReadContext, key: string): Promise<Buffer | undefined> {
  if (objects === undefined) throw new CodedError('unavailable')
  try {
    return await objects.get(key)
  } catch (error) {
    log.warn({ code: 'objects_away', err: error }, 'A file could not be read.')
    throw new CodedError('unavailable', { cause: error })
  }
}
