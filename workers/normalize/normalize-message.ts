/**
 * The event's message: a template with parameters, the finished text, or both. The template is what
 * grouping wants, because it holds no values; people want the finished text.
 */

import type { EventMessage } from './event.ts'
import { fieldCharactersMax, smallBounds } from './field-limits.ts'
import { fillTemplate } from './fill-template.ts'
import { boundValue, type JsonValue } from './values/bound-value.ts'
import type { Notes } from './values/notes.ts'
import { fitText, readAnyText, readObject } from './values/read-value.ts'

export interface ReadMessage {
  readonly typed: EventMessage
  readonly params: JsonValue | undefined
}

export function normalizeMessage(
  { logentry, message }: { readonly logentry: unknown; readonly message: unknown },
  notes: Notes,
): ReadMessage | undefined {
  const entry = readObject(logentry) ?? readObject(message)
  // An object that is no entry of either kind is data somebody logged: its JSON text is the message.
  if (entry === undefined || !('message' in entry || 'formatted' in entry)) {
    const text = plainText(logentry, notes) || plainText(message, notes)
    return text === ''
      ? undefined
      : { typed: { template: undefined, formatted: text }, params: undefined }
  }
  const { params } = entry
  const template = plainText(entry['message'], notes)
  const formatted =
    plainText(entry['formatted'], notes) ||
    fitText(fillTemplate(template, params) ?? '', messageRule(notes)) ||
    // Old Python clients send the template in one attribute and the finished text in the other.
    (typeof message === 'string' ? plainText(message, notes) : '') ||
    template
  if (formatted === '') return undefined
  const hasTemplate = template !== '' && template !== formatted
  return {
    typed: { template: hasTemplate ? template : undefined, formatted },
    params:
      hasTemplate && typeof params === 'object' && params !== null
        ? boundValue(params, smallBounds, { field: 'logentry.params', notes })
        : undefined,
  }
}

/** Empty for false, which some clients send where they have no message. */
function plainText(value: unknown, notes: Notes): string {
  if (value === false) return ''
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return ''
  return readAnyText(value, messageRule(notes))
}

function messageRule(notes: Notes) {
  return { field: 'message', charactersMax: fieldCharactersMax.message, notes }
}
