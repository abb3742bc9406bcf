/** A file of an event, as its record says. The bytes are in the object store already. */
import type { RecordView } from '#schemas/bus/frame.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { storedText } from '#schemas/stored-text.ts'
import { parseAttachmentRecord } from '#schemas/wire/attachment.ts'

export interface AttachmentRow {
  readonly projectId: ProjectId
  readonly eventId: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly contentType: string | null
  readonly size: number
  readonly sha256: string
  readonly storedOn: string
  readonly receivedAtMs: number
  readonly retentionDays: number
}

export type ParsedAttachment =
  | { readonly kind: 'attachment'; readonly row: AttachmentRow }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }

export function attachmentRow(
  { payload, projectId, recordId, receivedAtMs }: RecordView,
  retentionDays: number,
): ParsedAttachment {
  const record = parseAttachmentRecord(payload)
  if (record === undefined) return { kind: 'rejected', reason: 'invalid_attachment' }
  return {
    kind: 'attachment',
    row: {
      projectId,
      eventId: dashed(record.event_id),
      id: dashed(recordId),
      name: storedText(record.name),
      type: record.type,
      contentType: record.content_type ?? null,
      size: record.size,
      sha256: record.sha256,
      storedOn: record.stored_on,
      receivedAtMs,
      retentionDays,
    },
  }
}
