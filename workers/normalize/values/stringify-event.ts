/**
 * `JSON.stringify` of a stored event, without writing again what is known as text: stacks that were
 * stored before, and plain data.
 */
import { stackText } from '../known-frames/shared-stacks.ts'
import { PlainData } from '../plain-data/plain-data.ts'
import type { StoredEvent, StoredStack } from '../stored-event.ts'

type Write = (value: object, name: string) => string

export function stringifyEvent(event: StoredEvent): string {
  return stringifyFields(event, stringifyPart)
}

function stringifyPart(part: object, name: string): string {
  if (part instanceof PlainData) return part.text
  switch (name) {
    case 'exception':
    case 'threads':
      return stringifyFields(part, stringifyHolders)
    case 'stacktrace':
      return stringifyFields(part, stringifyFrames)
    case 'breadcrumbs':
      return stringifyFields(part, stringifyCrumbs)
    default:
      return JSON.stringify(part)
  }
}

/** The exceptions or threads of an event. */
function stringifyHolders(holders: object): string {
  return stringifyList(holders, (holder) => stringifyFields(holder, stringifyOfHolder))
}

function stringifyOfHolder(value: object, name: string): string {
  return name === 'stacktrace' ? stringifyFields(value, stringifyFrames) : JSON.stringify(value)
}

function stringifyFrames(value: object, name: string): string {
  const text = name === 'frames' ? stackText(value as StoredStack['frames']) : undefined
  return text ?? JSON.stringify(value)
}

function stringifyCrumbs(crumbs: object): string {
  return stringifyList(crumbs, (crumb) =>
    crumb instanceof PlainData ? crumb.text : JSON.stringify(crumb),
  )
}

function stringifyList(list: object, write: (item: object) => string): string {
  let text = ''
  for (const item of list as readonly object[])
    text += text === '' ? write(item) : `,${write(item)}`
  return `[${text}]`
}

/** @param fields an object with fixed names, which need no escape. */
function stringifyFields(fields: object, write: Write): string {
  let text = ''
  for (const name in fields) {
    const value = (fields as Readonly<Record<string, unknown>>)[name]
    if (value === undefined) continue
    text += `${text === '' ? '{' : ','}"${name}":`
    if (typeof value === 'string') text += stringifyText(value)
    else text += typeof value === 'object' && value !== null ? write(value, name) : String(value)
  }
  return text === '' ? '{}' : `${text}}`
}

const shortCharactersMax = 64

function stringifyText(text: string): string {
  return text.length <= shortCharactersMax && isPlain(text) ? `"${text}"` : JSON.stringify(text)
}

/** Printable ASCII without the two characters that JSON escapes. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false
  }
  return true
}
