/**
 * The JSON text of a canonical event, never longer than a row takes. Cutting each part to its limit
 * nearly always suffices; where it does not (numbers and invalid bytes grow when written again), the
 * heaviest parts that grouping and triage need least go first, in a fixed order.
 */
import { payloadBytesMax } from '#schemas/limits.ts'
import type { CanonicalEvent, CanonicalFrame, CanonicalStack } from '../canonical-event.ts'
import type { Notes } from './notes.ts'

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

interface Sacrifice {
  readonly field: string
  readonly drop: (event: CanonicalEvent) => void
}

/** Frames kept at the crash end when even the stacks are too heavy. */
const framesWhenHeavy = 20

/** A plain name is the optional part that goes; the others say what they do. */
const sacrifices: readonly (OptionalPart | Sacrifice)[] = [
  { field: 'frame.vars', drop: (event) => eachFrame(event, dropVars) },
  'extra',
  'breadcrumbs',
  { field: 'request.data', drop: dropRequestData },
  'modules',
  'contexts',
  'debug_meta',
  'threads',
  { field: 'frame.pre_context', drop: (event) => eachFrame(event, dropSource) },
  'request',
  'user',
  'sdk',
  'csp',
  { field: 'stacktrace.frames', drop: (event) => eachStack(event, shorten) },
  'stacktrace',
  'exception',
]

export function writePayload(
  event: CanonicalEvent,
  notes: Notes,
  bytesMax = payloadBytesMax,
): string {
  event.notes = notes.list()
  let payload = JSON.stringify(event)
  for (const sacrifice of sacrifices) {
    if (isWithin(payload, bytesMax)) return payload
    if (typeof sacrifice === 'string' && event[sacrifice] === undefined) continue
    if (typeof sacrifice === 'string') event[sacrifice] = undefined
    else sacrifice.drop(event)
    const field = typeof sacrifice === 'string' ? sacrifice : sacrifice.field
    notes.add(field, 'dropped from the payload: the event is too large')
    event.notes = notes.list()
    payload = JSON.stringify(event)
  }
  return payload
}

function isWithin(text: string, bytesMax: number): boolean {
  // No character takes more than three bytes, so most texts need no count.
  return text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax
}

function eachStack(event: CanonicalEvent, change: (stack: CanonicalStack) => void): void {
  const exceptions = event.exception?.values ?? []
  for (const { stacktrace } of exceptions) if (stacktrace !== undefined) change(stacktrace)
  for (const { stacktrace } of event.threads?.values ?? []) {
    if (stacktrace !== undefined) change(stacktrace)
  }
  if (event.stacktrace !== undefined) change(event.stacktrace)
}

function eachFrame(event: CanonicalEvent, change: (frame: CanonicalFrame) => void): void {
  eachStack(event, (stack) => {
    for (const frame of stack.frames) change(frame)
  })
}

function dropRequestData({ request }: CanonicalEvent): void {
  if (request !== undefined) request.data = undefined
}

function dropVars(frame: CanonicalFrame): void {
  frame.vars = undefined
}

function dropSource(frame: CanonicalFrame): void {
  frame.pre_context = undefined
  frame.post_context = undefined
}

function shorten(stack: CanonicalStack): void {
  stack.frames = stack.frames.slice(-framesWhenHeavy)
}
