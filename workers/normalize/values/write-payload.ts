/**
 * Writes the JSON text of a stored event, at most `payloadBytesMax`. The limits of the single parts
 * nearly always suffice. If they do not (numbers and invalid bytes grow when they are written
 * again), the largest parts that grouping and triage need least are left out first, in a fixed
 * order.
 */
import { payloadBytesMax } from '#schemas/limits.ts'
import type { Draft } from '../draft.ts'
import type { StoredEvent, StoredFrame, StoredStack } from '../stored-event.ts'
import { stringifyEvent } from './stringify-event.ts'

export function writePayload({
  event,
  stored,
  notes,
}: Pick<Draft, 'event' | 'stored' | 'notes'>): void {
  stored.notes = notes.list()
  event.payload = stringifyEvent(stored)
  event.inPayload = stored
  let smaller: StoredEvent = stored
  for (const part of partsToDrop) {
    if (isWithin(event.payload, payloadBytesMax)) return
    if (typeof part === 'string' ? smaller[part] === undefined : part.has?.(smaller) === false) {
      continue
    }
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
  | '_meta'
  | 'errors'
  | 'stacktrace'
  | 'exception'

interface PartToDrop {
  /** Name of the part in the note. */
  readonly field: string
  /** Whether an event has the part; by default it is taken to have it. */
  readonly has?: (event: StoredEvent) => boolean
  /** Returns a copy, because grouping and the filters read the original event. */
  readonly drop: (event: StoredEvent) => StoredEvent
}

/** Frames kept at both ends when even the stacks are too large. */
const crashFramesWhenHeavy = 15
const rootFramesWhenHeavy = 5

/** A plain name is an optional part that is left out as a whole. */
const partsToDrop: readonly (OptionalPart | PartToDrop)[] = [
  { field: 'raw_stacktrace', has: hasRawStacks, drop: withoutRawStacks },
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
  '_meta',
  'errors',
  { field: 'stacktrace.frames', drop: withStacks(withFewFrames) },
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

function withFewFrames(stack: StoredStack): StoredStack {
  const { frames, frames_omitted: [from, to] = [0, 0] } = stack
  const left = frames.length - crashFramesWhenHeavy - rootFramesWhenHeavy
  if (left <= 0) return stack
  return {
    ...stack,
    frames: [...frames.slice(0, rootFramesWhenHeavy), ...frames.slice(-crashFramesWhenHeavy)],
    frames_omitted: [rootFramesWhenHeavy, rootFramesWhenHeavy + left + to - from],
  }
}

function hasRawStacks({ exception, threads }: StoredEvent): boolean {
  const isRaw = ({ raw_stacktrace }: { readonly raw_stacktrace: StoredStack | undefined }) =>
    raw_stacktrace !== undefined
  return exception?.values.some(isRaw) === true || threads?.values.some(isRaw) === true
}

function withoutRawStacks(event: StoredEvent): StoredEvent {
  const without = <Holder extends object>(holder: Holder) => ({
    ...holder,
    raw_stacktrace: undefined,
  })
  const { exception, threads } = event
  return {
    ...event,
    exception: exception && { values: exception.values.map(without) },
    threads: threads && { values: threads.values.map(without) },
  }
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
