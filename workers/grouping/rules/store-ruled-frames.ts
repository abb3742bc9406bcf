/**
 * Writes what the stack-trace rules of a project decided into the event that is stored, so that its
 * stack trace and a search for `stack.in_app` show the frames as they were grouped. What the client
 * sent is kept beside it.
 */
import type { Frame, NormalizedEvent } from '../../normalize/event.ts'
import type { StoredEvent, StoredFrame, StoredStack } from '../../normalize/stored-event.ts'
import { Notes } from '../../normalize/values/notes.ts'
import { writePayload } from '../../normalize/values/write-payload.ts'
import type { RuledEvent } from './grouping-rules.ts'

export function storeRuledFrames(
  sent: NormalizedEvent,
  ruled: RuledEvent | undefined,
): NormalizedEvent {
  if (ruled === undefined || ruled.event === sent || sent.inPayload === undefined) return sent
  const payload = sent.inPayload as StoredEvent
  const { exceptions, threads } = ruled.event
  const stored: StoredEvent = {
    ...payload,
    exception: payload.exception && {
      values: payload.exception.values.map((value, index) => ({
        ...value,
        stacktrace: ruledStack(
          value.stacktrace,
          sent.exceptions[index]?.frames,
          exceptions[index]?.frames,
        ),
      })),
    },
    stacktrace: ruledStack(payload.stacktrace, sent.frames, ruled.event.frames),
    threads: payload.threads && {
      values: payload.threads.values.map((value, index) => ({
        ...value,
        stacktrace: ruledStack(
          value.stacktrace,
          sent.threads[index]?.frames,
          threads[index]?.frames,
        ),
      })),
    },
  }
  const event = { ...ruled.event }
  const notes = new Notes()
  for (const { field, rule } of payload.notes ?? []) notes.add(field, rule)
  writePayload({ event, stored, notes })
  return event
}

/**
 * Unchanged if the payload has fewer frames, because it became too large. It has more than were
 * ruled if a signal handler ran after the crash.
 */
function ruledStack(
  stack: StoredStack | undefined,
  sent: readonly Frame[] = [],
  ruled: readonly Frame[] = [],
): StoredStack | undefined {
  if (stack === undefined || sent === ruled || stack.frames.length < ruled.length) return stack
  const frames = stack.frames.map((frame, index): StoredFrame => {
    const before = sent[index]?.in_app
    const after = ruled[index]?.in_app
    return before === after ? frame : { ...frame, in_app: after, orig_in_app: before ?? null }
  })
  return { ...stack, frames }
}
