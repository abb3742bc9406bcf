/**
 * The format of `POST /api/{project_id}/unreal/{public_key}/`: a crash report of the Unreal Engine.
 * Its minidump becomes an event as at the minidump endpoint, with what the engine's context says.
 */
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { normalizeEventId } from '#schemas/ids.ts'
import { attachmentBytesMax, envelopeBytesMax } from '#schemas/limits.ts'
import { planFiles, type SentFile } from '../attachments/plan-files.ts'
import { replyFailure } from '../http/replies.ts'
import type { BodyFormat } from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { minidumpType } from './envelope-minidump.ts'
import { eventOfMinidump } from './event-of-minidump.ts'
import { idOf, textReply } from './minidump-format.ts'
import { readUnreal, type UnrealFile } from './read-unreal.ts'
import { readUnrealContext } from './unreal-context.ts'

export const unrealFormat: BodyFormat = {
  mayHoldDsn: false,
  plan: (ctx, sender) => ({
    kind: 'unfinished',
    finish: async (bytes) => {
      const content = await inflated(bytes)
      const files = content && readUnreal(content)
      if (files === undefined) {
        const reply = unreadable
        return refuseBody(ctx, sender, { reason: 'invalid_event', category: 'error', reply })
      }
      const context = files.find(({ name }) => name === contextFile)?.content
      const sent = context === undefined ? {} : readUnrealContext(context)
      const eventId = normalizeEventId(sent['event_id']) ?? idOf(bytes)
      const dump = files.find(isDump)?.content
      const event = eventOfMinidump({ eventId, sent, dump })
      const fitting = files.filter((file) => file.content.length <= attachmentBytesMax)
      return planFiles(ctx, sender, {
        eventId,
        event,
        files: fitting.map(sentFileOf),
        tooLarge: files.length - fitting.length,
        tooMany: 0,
        reply: textReply(eventId),
      })
    },
  }),
}

const contextFile = 'CrashContext.runtime-xml'
const unreadable = replyFailure(400, 'invalid crash report', [
  'the body must be a crash report of the Unreal Engine, compressed with zlib',
])

const unzip = promisify(inflate)

async function inflated(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    return await unzip(bytes, { maxOutputLength: envelopeBytesMax })
  } catch {
    return undefined
  }
}

function isDump({ name }: UnrealFile): boolean {
  return name.endsWith('.dmp')
}

function sentFileOf(file: UnrealFile): SentFile {
  const { name, content } = file
  if (isDump(file)) return { name, content, type: minidumpType, contentType: 'application/x-dmp' }
  if (name === contextFile) {
    return { name, content, type: 'unreal.context', contentType: 'text/xml' }
  }
  if (name.endsWith('.log'))
    return { name, content, type: 'unreal.logs', contentType: 'text/plain' }
  return { name, content, type: 'event.attachment', contentType: '' }
}
