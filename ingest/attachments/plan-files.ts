/** The plan of a request that holds files and perhaps the event that they belong to. */
import type { EventId } from '#schemas/ids.ts'
import { attachmentsPerEventMax } from '#schemas/limits.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import { attachmentHeader } from '#schemas/wire/attachment.ts'
import type { IngestContext } from '../context.ts'
import type { Reply } from '../http/replies.ts'
import type { PlannedBody, Sender } from '../intake/body-format.ts'
import { rejectedOne } from '../intake/rejected-one.ts'
import type { PlannedAttachment } from './planned-attachment.ts'

export interface SentFile {
  readonly name: string
  readonly type: string
  readonly contentType: string
  readonly content: Buffer
}

export interface FilesRequest {
  readonly eventId: EventId
  /** JSON text of the event; absent when the files belong to an event that is sent otherwise. */
  readonly event?: Buffer
  readonly files: readonly SentFile[]
  readonly tooLarge: number
  readonly tooMany: number
  readonly reply: Reply
}

export function planFiles(
  { unsupportedTypes }: Pick<IngestContext, 'unsupportedTypes'>,
  { key }: Sender,
  request: FilesRequest,
): PlannedBody {
  const { eventId, event, files, reply } = request
  const outcomes: OutcomeCount[] = []
  const pieces: Buffer[] = event === undefined ? [] : [event]
  const attachments: PlannedAttachment[] = []
  let start = event?.length ?? 0
  for (const { name, type, contentType, content } of files) {
    if (key.attachments === undefined) {
      const reason = unsupportedTypes.reasonFor(key.projectId, 'attachment')
      outcomes.push({ outcome: 'unsupported', reason, category: 'attachment', quantity: 1 })
    } else if (attachmentsPerEventMax <= attachments.length) {
      outcomes.push(rejectedOne('too_many_items', 'attachment'))
    } else {
      const end = start + content.length
      attachments.push({ ...attachmentHeader({ name, type, contentType }), eventId, start, end })
      pieces.push(content)
      start = end
    }
  }
  for (let count = 0; count < request.tooLarge; count += 1) {
    outcomes.push(rejectedOne('too_large', 'attachment'))
  }
  for (let count = 0; count < request.tooMany; count += 1) {
    outcomes.push(rejectedOne('too_many_items', 'attachment'))
  }
  return {
    kind: 'planned',
    bytes: Buffer.concat(pieces),
    plan: {
      events: event === undefined ? [] : [{ eventId, start: 0, end: event.length }],
      freeItems: [],
      outcomes,
      ...(attachments.length === 0 ? {} : { attachments }),
      envelopeId: eventId,
      sentAt: undefined,
      sdk: undefined,
      reply,
    },
  }
}
