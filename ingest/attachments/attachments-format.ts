/**
 * The format of `POST /api/{project_id}/events/{event_id}/attachments/`: files of an event that was
 * sent before or is still to come.
 */
import { normalizeEventId } from '#schemas/ids.ts'
import { replyCreated, replyFailure } from '../http/replies.ts'
import type { BodyFormat } from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { planFiles } from './plan-files.ts'
import { readMultipart } from './read-multipart.ts'

export function attachmentsFormat(eventIdText: string, contentType: string): BodyFormat {
  return {
    mayHoldDsn: false,
    plan: (ctx, sender) => ({
      kind: 'unfinished',
      finish: async (bytes) => {
        const reason = 'invalid_attachment'
        const eventId = normalizeEventId(eventIdText)
        if (eventId === undefined) {
          return refuseBody(ctx, sender, { reason, category: 'attachment', reply: badEventId })
        }
        const parts = await readMultipart(bytes, contentType)
        if (parts === undefined) {
          return refuseBody(ctx, sender, { reason, category: 'attachment', reply: noMultipart })
        }
        const files = parts.files.map((file) => ({ ...file, type: 'event.attachment' }))
        return planFiles(ctx, sender, { ...parts, eventId, files, reply: replyCreated })
      },
    }),
  }
}

const badEventId = replyFailure(400, 'invalid event id', ['the path must hold 32 hex digits'])
export const noMultipart = replyFailure(400, 'the body cannot be read', [
  'send multipart/form-data with a boundary in its Content-Type',
])
