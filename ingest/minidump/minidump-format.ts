/**
 * The format of `POST /api/{project_id}/minidump/`: a crash report of Breakpad, Crashpad or
 * Electron. It becomes an event, and its files become attachments. The reply is the id of the event
 * as text, which these clients write to their logs.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { dashed, type EventId, normalizeEventId } from '#schemas/ids.ts'
import { attachmentBytesMax } from '#schemas/limits.ts'
import { noMultipart } from '../attachments/attachments-format.ts'
import { planFiles, type SentFile } from '../attachments/plan-files.ts'
import { type Multipart, readMultipart } from '../attachments/read-multipart.ts'
import { plainReply, type Reply } from '../http/replies.ts'
import type { BodyFormat } from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { minidumpType } from './envelope-minidump.ts'
import { eventOfMinidump } from './event-of-minidump.ts'
import { breadcrumbFiles, eventFile, readSentFields } from './read-fields.ts'

const dumpField = 'upload_file_minidump'

export function minidumpFormat(contentType: string): BodyFormat {
  return {
    mayHoldDsn: false,
    plan: (ctx, sender) => ({
      kind: 'unfinished',
      finish: async (bytes) => {
        const parts = await readParts(bytes, contentType)
        if (parts === undefined) {
          const reply = noMultipart
          return refuseBody(ctx, sender, { reason: 'invalid_event', category: 'error', reply })
        }
        const sent = readSentFields(parts)
        // A crash that is sent again without an id of its own has the same one.
        const eventId = normalizeEventId(sent['event_id']) ?? idOf(bytes)
        const files = await unpackedFiles(parts)
        const dump = files.find(({ type }) => type === minidumpType)?.content
        const event = eventOfMinidump({ eventId, sent, dump })
        return planFiles(ctx, sender, {
          ...parts,
          files,
          event,
          eventId,
          reply: textReply(eventId),
        })
      },
    }),
  }
}

export function textReply(eventId: EventId): Reply {
  return plainReply(200, 'text/plain; charset=utf-8', dashed(eventId))
}

export function idOf(bytes: Buffer): EventId {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32) as EventId
}

/** Some clients send the dump as the whole body. */
async function readParts(bytes: Buffer, contentType: string): Promise<Multipart | undefined> {
  if (!isDump(bytes)) return readMultipart(bytes, contentType)
  if (attachmentBytesMax < bytes.length) {
    return { fields: [], files: [], tooLarge: 1, tooMany: 0 }
  }
  const file = { field: dumpField, name: 'minidump.dmp', contentType: '', content: bytes }
  return { fields: [], files: [file], tooLarge: 0, tooMany: 0 }
}

async function unpackedFiles({ files }: Multipart): Promise<SentFile[]> {
  const kept: SentFile[] = []
  for (const { field, name, contentType, content } of files) {
    if ([name, field].some((one) => one === eventFile || breadcrumbFiles.has(one))) continue
    const isMinidump = field === dumpField
    kept.push({
      name,
      contentType: isMinidump ? 'application/x-dmp' : contentType,
      type: isMinidump ? minidumpType : 'event.attachment',
      content: isMinidump ? await inflated(content) : content,
    })
  }
  return kept
}

const unzip = promisify(gunzip)

/** A dump may be compressed by itself. One that inflates beyond the limit stays as it is. */
async function inflated(content: Buffer): Promise<Buffer> {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content
  try {
    return await unzip(content, { maxOutputLength: attachmentBytesMax })
  } catch {
    return content
  }
}

function isDump(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.toString('latin1', 0, 4) === 'MDMP'
}
