/**
 * The text that identifies an error without a stack: its first two lines that are not blank, with
 * the variable parts replaced. Part of g1.
 */
import type { EventMessage } from '../../normalize/event.ts'
import type { Trace } from '../trace.ts'
import { cutText } from './cut-text.ts'
import { joinJsonBodies } from './json-bodies.ts'
import {
  cachedUnitsMax,
  parameterize,
  parameterizedUnitsMax,
  parameterizeUncached,
} from './parameterize.ts'

const linesMax = 2

export function messageText(raw: string, trace: Trace | undefined): string {
  const text = firstLines(raw)
  if (trace) return parameterizeUncached(text, trace.replaced)
  return raw.length > cachedUnitsMax ? parameterizeUncached(text, undefined) : parameterize(text)
}

/** Prefers the template, because it contains no values. */
export function messageSource(message: EventMessage | undefined): string {
  if (message === undefined) return ''
  return message.template === undefined || message.template === ''
    ? message.formatted
    : message.template
}

function firstLines(raw: string): string {
  if (raw.length <= parameterizedUnitsMax && !/[\r\n]/.test(raw)) return raw.trim()
  // Cut first, so that the end of a very long text costs nothing.
  const lines = onOneLine(cutText(raw.trimStart(), parameterizedUnitsMax))
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const kept = lines.slice(0, linesMax).join('\n')
  return lines.length > linesMax ? `${kept}...` : kept
}

/** A body of JSON counts as one line, however it is written. */
function onOneLine(text: string): string {
  return text.includes('{') ? joinJsonBodies(text) : text
}
