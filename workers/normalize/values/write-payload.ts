/**
 * Writes the JSON text of a stored event, at most `payloadBytesMax`. The limits of the single parts
 * nearly always suffice. If they do not (numbers and invalid bytes grow when they are written
 * again), the largest parts that grouping and triage need least are left out first, in a fixed
 * order.
 */
import { payloadBytesMax } from '#schemas/limits.ts'
import type { Draft } from '../draft.ts'
import type { StoredEvent, StoredFrame, StoredStack } from '../stored-event.ts'

export function writePayload({ event, stored, notes }: Draft): void {
  stored.notes = notes.list()
  event.payload = JSON.stringify(stored)
  event.inPayload = stored
  let smaller: StoredEvent = stored
  for (const part of partsToDrop) {
    if (isWithin(event.payload, payloadBytesMax)) return
    if (typeof part === 'string' && smaller[part] === undefined) continue
    const without =
      typeof part === 'string' ? { ...smaller, [part]: undefined } : part.drop(smaller)
    const field = typeof part === 'string' ? part : part.field
    notes.add(field, 'dropped from the payload: the event is too large')
    smaller = { ...without, notes: notes.list() }
    event.payload = JSON.stringify(smaller)
    event.inPayload = smaller
  }
}

function isWithin(text: string, bytesMax: number): boolean {
  // No UTF-16 code unit takes more than three bytes in UTF-8, so most texts need not be measured.
  return text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax
}

type OptionalPart =
  | 'extra'
  | 'breadcrumbs'
  | 'modules'
  | 'contexts'
  | 'debug_meta'
  | 'threads'
  | 'request'
  | 'user'
  | 'sdk'
  | 'csp'
  | 'stacktrace'
  | 'exception'

interface PartToDrop {
  /** Name of the part in the note. */
  readonly field: string
  /** Returns a copy, because grouping and the filters read the original event. */
  readonly drop: (event: StoredEvent) => StoredEvent
}

/** Frames kept at the crash end when even the stacks are too large. */
const framesWhenHeavy = 20

/** A plain name is an optional part that is left out as a whole. */
const partsToDrop: readonly (OptionalPart | PartToDrop)[] = [
  { field: 'frame.vars', drop: withFrames((frame) => ({ ...frame, vars: undefined })) },
  'extra',
  'breadcrumbs',
  { field: 'request.data', drop: withoutRequestData },
  'modules',
  'contexts',
  'debug_meta',
  'threads',
  { field: 'frame.pre_context', drop: withFrames(withoutSource) },
  'request',
  'user',
  'sdk',
  'csp',
  { field: 'stacktrace.frames', drop: withStacks(withLastFrames) },
  'stacktrace',
  'exception',
]

function withoutRequestData(event: StoredEvent): StoredEvent {
  const { request } = event
  return request === undefined ? event : { ...event, request: { ...request, data: undefined } }
}

function withoutSource(frame: StoredFrame): StoredFrame {
  return { ...frame, pre_context: undefined, post_context: undefined }
}

function withLastFrames(stack: StoredStack): StoredStack {
  return { ...stack, frames: stack.frames.slice(-framesWhenHeavy) }
}

function withFrames(
  change: (frame: StoredFrame) => StoredFrame,
): (event: StoredEvent) => StoredEvent {
  return withStacks((stack) => ({ ...stack, frames: stack.frames.map(change) }))
}

function withStacks(change: (stack: StoredStack) => StoredStack) {
  const changeIn = <Holder extends { readonly stacktrace: StoredStack | undefined }>(
    holder: Holder,
  ): Holder =>
    holder.stacktrace === undefined ? holder : { ...holder, stacktrace: change(holder.stacktrace) }
  return (event: StoredEvent): StoredEvent => {
    const { exception, threads } = event
    return {
      ...changeIn(event),
      exception: exception && { values: exception.values.map(changeIn) },
      threads: threads && { values: threads.values.map(changeIn) },
    }
  }
}
