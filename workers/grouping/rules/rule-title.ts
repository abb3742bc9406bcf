/** The title that a fingerprint rule gives an event. */
import { type FingerprintSubject, variablePiece } from '../fingerprint-variables.ts'
import { cutText, firstLine } from '../text/cut-text.ts'
import { titleEvent } from '../title-event.ts'
import type { RuledEvent } from './grouping-rules.ts'
import { tagValue } from './tag-value.ts'

const titleUnitsMax = 256

/** Undefined: the usual title. */
export function ruleTitle(
  subject: FingerprintSubject,
  ruled: RuledEvent | undefined,
): string | undefined {
  const parts = ruled?.fingerprint?.title
  if (parts === undefined) return undefined
  const text = parts
    .map((part) => (part.kind === 'text' ? part.text : textOf(subject, part.name)))
    .join('')
  const title = cutText(firstLine(text, titleUnitsMax), titleUnitsMax).trim()
  return title === '' ? undefined : title
}

/** As it was sent: unlike in a fingerprint, variable parts of a message stay. */
function textOf(subject: FingerprintSubject, name: string): string {
  const { event, main, frames, context } = subject
  if (name === 'default') return titleEvent(event, main, frames, context)
  const value = rawValue(subject, name)
  return value === '' ? `<no ${name}>` : firstLine(value, titleUnitsMax)
}

function rawValue({ event, main, frames, context }: FingerprintSubject, name: string): string {
  if (name.startsWith('tags.')) return tagValue(event, name.slice('tags.'.length))
  if (name === 'message') return event.message?.formatted || main?.value || ''
  if (name === 'error.value') return main?.value ?? ''
  const { kind, value } = variablePiece({ event, main, frames, context }, name, undefined)
  return kind === 'fingerprint' ? value : ''
}
