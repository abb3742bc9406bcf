/**
 * `JSON.stringify` of a stored event, without writing again the stacks whose text is known. While
 * it runs, markers take the place of their frames, because a copy of the event costs as much as its
 * text. No text of an event equals a marker, because none holds NUL.
 */
import { stackText } from '../known-frames/shared-stacks.ts'
import type { StoredEvent, StoredFrame, StoredStack } from '../stored-event.ts'

const marker = '\0frames'
const writtenMarker = JSON.stringify(marker)

export function stringifyEvent(event: StoredEvent): string {
  const marked = knownStacks(event)
  if (marked.length === 0) return JSON.stringify(event)
  const lists = marked.map(({ stack }) => stack.frames)
  let rest: string
  try {
    for (const { stack } of marked) setFrames(stack, marker)
    rest = JSON.stringify(event)
  } finally {
    for (const [index, { stack }] of marked.entries()) setFrames(stack, lists[index]!)
  }
  let whole = ''
  let from = 0
  for (const { text } of marked) {
    const at = rest.indexOf(writtenMarker, from)
    whole += rest.slice(from, at) + text
    from = at + writtenMarker.length
  }
  return whole + rest.slice(from)
}

interface KnownStack {
  readonly stack: StoredStack
  readonly text: string
}

/** In the order of the fields. */
function knownStacks({ exception, stacktrace, threads }: StoredEvent): KnownStack[] {
  const known: KnownStack[] = []
  const add = (stack: StoredStack | undefined) => {
    const text = stack === undefined ? undefined : stackText(stack.frames)
    if (text !== undefined) known.push({ stack: stack!, text })
  }
  if (exception !== undefined) for (const value of exception.values) add(value.stacktrace)
  add(stacktrace)
  if (threads !== undefined) for (const thread of threads.values) add(thread.stacktrace)
  return known
}

function setFrames(stack: StoredStack, frames: readonly StoredFrame[] | typeof marker): void {
  const open = stack as { frames: unknown }
  open.frames = frames
}
