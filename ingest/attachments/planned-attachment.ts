import type { EventId } from '#schemas/ids.ts'
import type { AttachmentHeader } from '#schemas/wire/attachment.ts'

/** A file to be kept, `bytes[start, end)` of its plan. */
export interface PlannedAttachment extends AttachmentHeader {
  /** The event that it belongs to, which may have been sent earlier or come later. */
  readonly eventId: EventId
  readonly start: number
  readonly end: number
}

/** A file that is in the object store. */
export interface KeptAttachment {
  /** 16 bytes, equal when the same file is sent again with the same event. */
  readonly recordId: Uint8Array
  readonly eventId: EventId
  /** JSON text of an `AttachmentRecord`. */
  readonly payload: Buffer
}
