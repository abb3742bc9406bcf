/**
 * The event's message: a template with parameters, the finished text, or both. Grouping prefers the
 * template, because it holds no values; people read the finished text.
 */
import type { Draft } from './draft.ts'
import type { EventMessage } from './event.ts'
import { fieldCharactersMax, smallBounds } from './field-limits.ts'
import { fillTemplate } from './fill-template.ts'
import { boundValue, type JsonValue } from './values/bound-value.ts'
import { noteCutText } from './values/mark-cut-texts.ts'
import type { Notes } from './values/notes.ts'
import { fitText, readAnyText, readObject } from './values/read-value.ts'

export function normalizeMessage({ sent, notes, event, stored, cutTexts }: Draft): void {
  const read = readMessage(sent, notes)
  if (read === undefined) return
  const entry = readObject(sent.logentry) ?? readObject(sent.message) ?? {}
  const formatted = entry['formatted'] ?? entry['message'] ?? sent.logentry ?? sent.message
  noteCutText(cutTexts, ['logentry', 'formatted'], formatted, fieldCharactersMax.message)
  const { message, params } = read
  event.message = message
  stored.logentry = { message: message.template, formatted: message.formatted, params }
}

export interface ReadMessage {
  readonly message: EventMessage
  readonly params: JsonValue | undefined
}

export function readMessage(
  { logentry, message }: { readonly logentry: unknown; readonly message: unknown },
  notes: Notes,
): ReadMessage | undefined {
  const entry = readObject(logentry) ?? readObject(message)
  // Any other object is data that the program logged: its JSON text is the message.
  if (entry === undefined || !('message' in entry || 'formatted' in entry)) {
    const text = plainText(logentry, notes) || plainText(message, notes)
    return text === ''
      ? undefined
      : { message: { template: undefined, formatted: text }, params: undefined }
  }
  const { params } = entry
  const template = plainText(entry['message'], notes)
  const formatted =
    plainText(entry['formatted'], notes) ||
    fitText(fillTemplate(template, params) ?? '', messageRule(notes)) ||
    // Old Python clients send the template as `logentry` and the finished text as `message`.
    (typeof message === 'string' ? plainText(message, notes) : '') ||
    template
  if (formatted === '') return undefined
  const hasTemplate = template !== '' && template !== formatted
  return {
    message: { template: hasTemplate ? template : undefined, formatted },
    params:
      hasTemplate && typeof params === 'object' && params !== null
        ? boundValue(params, smallBounds, { field: 'logentry.params', notes })
        : undefined,
  }
}

/** Some clients send false or an empty object when they have no message. */
function plainText(value: unknown, notes: Notes): string {
  if (value === false) return ''
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return ''
  return readAnyText(value, messageRule(notes))
}

function messageRule(notes: Notes) {
  return { field: 'message', charactersMax: fieldCharactersMax.message, notes }
}
