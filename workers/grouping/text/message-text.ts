/**
 * The text that stands for an error without a code path: its first two lines with something on them, with the
 * variable parts replaced. Part of g1: frozen once shipped, a change is g2.
 */
import type { EventMessage } from '../../normalize/event.ts'
import type { Trace } from '../trace.ts'
import { cutText } from './cut-text.ts'
import {
  cachedUnitsMax,
  parameterize,
  parameterizeAnew,
  parameterizedUnitsMax,
} from './parameterize.ts'

const linesMax = 2

export function messageText(raw: string, trace: Trace | undefined): string {
  const text = firstLines(raw)
  if (trace) return parameterizeAnew(text, trace.replaced)
  return raw.length > cachedUnitsMax ? parameterizeAnew(text, undefined) : parameterize(text)
}

/** The template has no values in it, so it is the better text where the client sent one. */
export function messageSource(message: EventMessage | undefined): string {
  if (message === undefined) return ''
  return message.template === undefined || message.template === ''
    ? message.formatted
    : message.template
}

function firstLines(raw: string): string {
  if (raw.length <= parameterizedUnitsMax && !/[\r\n]/.test(raw)) return raw.trim()
  // Cut first: what a megabyte holds after its first page is never looked at.
  const lines = cutText(raw.trimStart(), parameterizedUnitsMax)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const kept = lines.slice(0, linesMax).join('\n')
  return lines.length > linesMax ? `${kept}...` : kept
}
