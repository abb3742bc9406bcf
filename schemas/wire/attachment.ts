/**
 * A file that was sent with an event (Sentry envelope protocol: item `attachment`). The header of
 * the item is written by the client; the record on the bus is written by ingest when the file is in
 * the object store, and never contains its bytes.
 */
import { z } from 'zod'
import { attachmentBytesMax } from '../limits.ts'
import { shownName } from '../visible-text.ts'

export const attachmentNameCharactersMax = 200
const typeDefault = 'event.attachment'
const typePattern = /^[a-z_]{1,20}\.[a-z_]{1,30}$/
const contentTypePattern = /^[a-z0-9][a-z0-9.+-]{0,50}\/[a-z0-9][a-z0-9.+_-]{0,80}$/

export interface AttachmentHeader {
  /** The last part of the path that the client named. */
  readonly name: string
  /** `event.attachment`, `event.minidump`, `event.view_hierarchy` and others. */
  readonly type: string
  /** In lower case, without parameters; undefined when the client named none or no valid one. */
  readonly contentType: string | undefined
}

export function attachmentHeader(fields: {
  readonly name: unknown
  readonly type: unknown
  readonly contentType: unknown
}): AttachmentHeader {
  return {
    name: attachmentName(fields.name),
    type:
      typeof fields.type === 'string' && typePattern.test(fields.type) ? fields.type : typeDefault,
    contentType: contentTypeOf(fields.contentType),
  }
}

/** Text of a name that is longer is not read at all. */
const readCharactersMax = 4_096

/**
 * The last part of a path of any system; never `.`, `..` or invisible. Controls that reorder text
 * would show `gnp.exe` as a picture.
 */
export function attachmentName(name: unknown): string {
  if (typeof name !== 'string') return 'unnamed'
  const text = name.slice(-readCharactersMax)
  const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)
  const clean = shownName(last, attachmentNameCharactersMax)
  return clean === undefined || clean === '.' || clean === '..' ? 'unnamed' : clean
}

function contentTypeOf(sent: unknown): string | undefined {
  if (typeof sent !== 'string') return undefined
  const type = sent.slice(0, 200).split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return contentTypePattern.test(type) ? type : undefined
}

/** The payload of a record of kind `attachment`. */
export const AttachmentRecord = z.object({
  event_id: z.string().regex(/^[0-9a-f]{32}$/),
  name: z.string().min(1).max(attachmentNameCharactersMax),
  type: z.string().regex(typePattern),
  content_type: z.string().regex(contentTypePattern).optional(),
  size: z.number().int().nonnegative().max(attachmentBytesMax),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  stored_on: z.string().regex(/^\d{4}-\d\d-\d\d$/),
})
export type AttachmentRecord = z.infer<typeof AttachmentRecord>

export function parseAttachmentRecord(payload: Uint8Array): AttachmentRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(payload).toString('utf8'))
  } catch {
    return undefined
  }
  const parsed = AttachmentRecord.safeParse(value)
  return parsed.success ? parsed.data : undefined
}
