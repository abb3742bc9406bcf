/**
 * `JSON.stringify` of a stored event, without writing again the parts whose text is known: stacks,
 * and plain data. While it runs, markers take their places, because a copy of the event costs as
 * much as its text. No text of an event equals a marker, because none holds NUL.
 */
import { stackText } from '../known-frames/shared-stacks.ts'
import { PlainData } from '../plain-data/plain-data.ts'
import type { StoredEvent, StoredStack } from '../stored-event.ts'

const marker = '\0known'
const writtenMarker = JSON.stringify(marker)

export function stringifyEvent(event: StoredEvent): string {
  const parts = knownParts(event)
  if (parts.length === 0) return JSON.stringify(event)
  let rest: string
  try {
    for (const { holder, key } of parts) holder[key] = marker
    rest = JSON.stringify(event)
  } finally {
    for (const { holder, key, value } of parts) holder[key] = value
  }
  let whole = ''
  let from = 0
  for (const { text } of parts) {
    const at = rest.indexOf(writtenMarker, from)
    whole += rest.slice(from, at) + text
    from = at + writtenMarker.length
  }
  return whole + rest.slice(from)
}

interface KnownPart {
  readonly holder: Record<string, unknown>
  readonly key: string
  readonly value: unknown
  readonly text: string
}

/** In the order of the fields. */
function knownParts(event: StoredEvent): KnownPart[] {
  const { exception, stacktrace, threads, breadcrumbs, extra } = event
  const parts: KnownPart[] = []
  const add = (holder: object, key: string, value: unknown, text: string | undefined) => {
    if (text === undefined) return
    parts.push({ holder: holder as Record<string, unknown>, key, value, text })
  }
  const addStack = (stack: StoredStack | undefined) => {
    if (stack !== undefined) add(stack, 'frames', stack.frames, stackText(stack.frames))
  }
  if (exception !== undefined) for (const value of exception.values) addStack(value.stacktrace)
  addStack(stacktrace)
  if (threads !== undefined) for (const thread of threads.values) addStack(thread.stacktrace)
  if (breadcrumbs !== undefined)
    add(breadcrumbs, 'values', breadcrumbs.values, listText(breadcrumbs.values))
  if (extra instanceof PlainData) add(event, 'extra', extra, extra.text)
  return parts
}

/** Undefined for a list without plain data. */
function listText(values: readonly object[]): string | undefined {
  if (!values.some((value) => value instanceof PlainData)) return undefined
  let text = ''
  for (const value of values) {
    if (text !== '') text += ','
    text += value instanceof PlainData ? value.text : JSON.stringify(value)
  }
  return `[${text}]`
}
