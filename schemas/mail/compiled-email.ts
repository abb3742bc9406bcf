/**
 * A composed email: literals with slots between them. Everything expensive or dangerous (Markdown,
 * sanitising, inlining) happens once, when the email is composed. Filling it for one contact joins
 * the parts, with each value escaped for its context. A campaign stores its compiled email as JSON,
 * so it is validated when a mailer reads it.
 */
import { z } from 'zod'
import { escapeHtml, escapeValue, headerText, SlotContext } from './escape-value.ts'

/** The value of a contact that an author names in a placeholder (api/compose/template.ts). */
const ValueName = z.union([z.literal('name'), z.string().regex(/^attr\.[A-Za-z0-9_-]{1,64}$/)])

const ValueSlot = z.object({
  value: ValueName,
  /** Used when the contact has no value or a blank one. */
  fallback: z.string(),
  context: SlotContext,
})

/** Links that differ by contact. `click` has the index of a link in the campaign's `links`. */
const LinkSlot = z.object({
  link: z.enum(['unsubscribe', 'preferences', 'open_pixel', 'click']),
  index: z.int().min(0).optional(),
  context: z.enum(['attribute', 'text']),
})
export type LinkSlot = z.infer<typeof LinkSlot>
export type ValueSlot = z.infer<typeof ValueSlot>

export const Slot = z.union([ValueSlot, LinkSlot])
export type Slot = z.infer<typeof Slot>
export const Part = z.union([z.string(), Slot])
export type Part = z.infer<typeof Part>

export const CompiledEmail = z.object({
  subject: z.array(Part),
  html: z.array(Part),
  text: z.array(Part),
})
export type CompiledEmail = z.infer<typeof CompiledEmail>

export type AttribValue = string | number | boolean | null

export interface Contact {
  readonly name?: string | null | undefined
  readonly attribs?: Readonly<Record<string, unknown>> | null | undefined
  /** Required for campaign emails, which contain link slots. */
  readonly links?: ContactLinks | undefined
}

export interface ContactLinks {
  readonly unsubscribe: string
  readonly preferences: string
  /** URL of the tracking pixel. */
  readonly openPixel: string
  /** URL to which a slash and the index of the link are added. */
  readonly clickBase: string
}

export interface FilledEmail {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** Longer subjects are cut, because values can have any length. */
const subjectCharactersMax = 900

export function fillEmail(email: CompiledEmail, contact: Contact): FilledEmail {
  return {
    subject: fillSubject(email.subject, contact),
    html: fillParts(email.html, contact),
    text: fillParts(email.text, contact),
  }
}

export function fillSubject(parts: readonly Part[], contact: Contact): string {
  return oneLine(fillParts(parts, contact))
}

/** The contact's value as text; blank when there is none, so that the fallback is used. */
export function contactValue(contact: Contact, name: string): string {
  if (name === 'name') return (contact.name ?? '').trim()
  const { attribs } = contact
  const key = name.slice('attr.'.length)
  if (attribs === undefined || attribs === null || !Object.hasOwn(attribs, key)) return ''
  const value = attribs[key]
  switch (typeof value) {
    case 'string':
      return value.trim()
    case 'number':
    case 'boolean':
      return String(value)
    default:
      return ''
  }
}

/** Joins literals and values; each value is escaped for its context. */
export function fillParts(parts: readonly Part[], contact: Contact): string {
  let filled = ''
  for (const part of parts) {
    filled += typeof part === 'string' ? part : fillSlot(part, contact)
  }
  return filled
}

/** The value of a slot, escaped for its context. */
export function fillSlot(slot: Slot, contact: Contact): string {
  if ('link' in slot) return fillLink(slot, contact.links)
  const value = contactValue(contact, slot.value)
  return escapeValue(value === '' ? slot.fallback : value, slot.context)
}

function fillLink(slot: LinkSlot, links: ContactLinks | undefined): string {
  if (links === undefined)
    throw new Error(`an email with a ${slot.link} link needs the links of a contact`)
  const address = addressOf(slot, links)
  return slot.context === 'attribute' ? escapeHtml(address) : address
}

function addressOf(slot: LinkSlot, links: ContactLinks): string {
  switch (slot.link) {
    case 'unsubscribe':
      return links.unsubscribe
    case 'preferences':
      return links.preferences
    case 'open_pixel':
      return links.openPixel
    case 'click':
      return `${links.clickBase}/${slot.index ?? 0}`
  }
}

function oneLine(subject: string): string {
  const line = headerText(subject).trim()
  if (line.length <= subjectCharactersMax) return line
  // A cut must not leave half of a surrogate pair.
  return line
    .slice(0, subjectCharactersMax)
    .toWellFormed()
    .replace(/\ufffd$/, '')
}
