/**
 * The attachment items of an envelope whose project keeps them. A few of their headers are read;
 * items beyond the number that an event may have are only counted.
 */
import type { EventId } from '#schemas/ids.ts'
import { attachmentBytesMax, attachmentsPerEventMax } from '#schemas/limits.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import { type AttachmentHeader, attachmentHeader } from '#schemas/wire/attachment.ts'
import { type Item, parseObject } from '../envelope/parse-envelope.ts'
import { rejectedOne } from '../intake/rejected-one.ts'
import type { PlannedAttachment } from './planned-attachment.ts'

interface EnvelopeAround {
  /** Of the envelope, or of its first event. */
  readonly eventId: EventId | undefined
  readonly items: readonly Item[]
  readonly outcomes: OutcomeCount[]
  readonly ctx: { unsupportedReason(itemType: string): string }
}

interface File extends AttachmentHeader {
  readonly start: number
  readonly end: number
}

/** Items that attachments may belong to. */
const owners: ReadonlySet<string> = new Set(['event', 'feedback', 'user_report'])

export class AttachmentItems {
  readonly #files: File[] = []

  add(bytes: Uint8Array, item: Item, outcomes: OutcomeCount[]): void {
    const { headerStart, start, end } = item
    if (attachmentBytesMax < end - start) {
      outcomes.push(rejectedOne('too_large', 'attachment'))
    } else if (attachmentsPerEventMax <= this.#files.length) {
      outcomes.push(rejectedOne('too_many_items', 'attachment'))
    } else {
      const fields = parseObject(bytes, headerStart, start - 1)
      const header = attachmentHeader({
        name: fields?.get('filename'),
        type: fields?.get('attachment_type'),
        contentType: fields?.get('content_type'),
      })
      this.#files.push({ ...header, start, end })
    }
  }

  /** Undefined when none is to be kept. */
  plan({
    eventId,
    items,
    outcomes,
    ctx,
  }: EnvelopeAround): readonly PlannedAttachment[] | undefined {
    if (this.#files.length === 0) return undefined
    if (belongsToDropped(items)) {
      for (const _ of this.#files) {
        const reason = ctx.unsupportedReason('attachment')
        outcomes.push({ outcome: 'unsupported', reason, category: 'attachment', quantity: 1 })
      }
      return undefined
    }
    if (eventId === undefined) {
      for (const _ of this.#files) outcomes.push(rejectedOne('invalid_attachment', 'attachment'))
      return undefined
    }
    return this.#files.map((file) => ({ ...file, eventId }))
  }
}

/** Such as a screenshot of a transaction, which is not kept either. */
function belongsToDropped(items: readonly Item[]): boolean {
  return (
    items.some(({ type }) => type === 'transaction') && !items.some(({ type }) => owners.has(type))
  )
}
