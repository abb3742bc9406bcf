/** How a file is shown. What the client says about it is not trusted: pictures are recognised. */
import { undashed } from '#schemas/ids.ts'
import { KiB } from '#schemas/limits.ts'
import type { AttachmentItem } from '#schemas/rest/attachments/attachment.ts'
import type { StoredAttachment } from './attachment-store.ts'

export const textPreviewBytesMax = 64 * KiB
/** A tree that is cut cannot be read, so it may be longer. */
export const hierarchyBytesMax = 1024 * KiB

const imageName = /\.(?:png|jpe?g|webp|gif)$/i
const textName = /\.(?:txt|log|json|xml|csv|md|ya?ml|ini|conf|html?|jsonl|runtime-xml)$/i
const imageTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
])
const textTypes = /^(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|x-ndjson|yaml|x-yaml))$/

export function attachmentItem(row: StoredAttachment): AttachmentItem {
  return {
    id: row.id,
    event_id: undashed(row.event_id),
    name: row.name,
    type: row.type,
    content_type: row.content_type,
    size: row.size,
    sha256: row.sha256,
    received_at: row.received_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    shows: showsOf(row),
  }
}

export function showsOf({
  type,
  name,
  content_type: contentType,
}: Pick<StoredAttachment, 'type' | 'name' | 'content_type'>): AttachmentItem['shows'] {
  if (type === 'event.view_hierarchy') return 'view_hierarchy'
  if (type === 'event.minidump') return 'none'
  if (contentType !== null && imageTypes.has(contentType)) return 'image'
  if (contentType !== null && textTypes.test(contentType)) return 'text'
  if (type === 'unreal.logs' || type === 'unreal.context') return 'text'
  if (imageName.test(name)) return 'image'
  return textName.test(name) ? 'text' : 'none'
}

/** The content type of a picture by its first bytes; undefined for anything else. */
export function imageTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp'
  return undefined
}

/** The text as UTF-8 (or UTF-16 with a mark), cut between characters. */
export function textOf(bytes: Buffer, bytesMax: number): { text: string; is_cut: boolean } {
  const isCut = bytesMax < bytes.length
  const part = isCut ? bytes.subarray(0, bytesMax) : bytes
  const encoding = part[0] === 0xff && part[1] === 0xfe ? 'utf-16le' : 'utf-8'
  // Streaming keeps back an incomplete character at the end.
  const text = new TextDecoder(encoding).decode(part, { stream: isCut })
  return { text: text.replaceAll('\0', '�'), is_cut: isCut }
}

/** RFC 6266: a plain name for old clients and the whole one in UTF-8. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._ -]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`
}
