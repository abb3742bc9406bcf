/**
 * A letter whose markup is done: literals with slots between them. All that is costly or dangerous (Markdown, sanitising, inlining)
 * happens once when a letter is composed; filling it for one reader is a join, with each value escaped for the place it stands in.
 * A campaign keeps its compiled letter as JSON, so the shape is parsed when a mail process reads it.
 */
import { z } from 'zod'
import { escapeHtml, escapeValue, headerText, SlotContext } from './escape-value.ts'
import { ValueName } from './template.ts'

const ValueSlot = z.object({
  value: ValueName,
  /** Shown when the reader has no value, or a blank one. */
  fallback: z.string(),
  context: SlotContext,
})

/** Links that each reader has of their own. `click` is a link of the letter, by its index among `links` of the campaign. */
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
  /** Needed when the letter holds such slots: those of campaigns do, others do not. */
  readonly links?: ContactLinks | undefined
}

export interface ContactLinks {
  readonly unsubscribe: string
  readonly preferences: string
  /** The address of the pixel. */
  readonly openPixel: string
  /** The index of the link is put behind it. */
  readonly clickBase: string
}

export interface FilledEmail {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** Longer subjects are cut: values can make one as long as they are. */
const subjectCharactersMax = 900

export function fillEmail(email: CompiledEmail, contact: Contact): FilledEmail {
  return {
    subject: oneLine(fillParts(email.subject, contact)),
    html: fillParts(email.html, contact),
    text: fillParts(email.text, contact),
  }
}

/** The value as it will be read; blank when there is none, which is when the fallback stands in. */
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

/** Joins literals and values, each value escaped for its place. */
export function fillParts(parts: readonly Part[], contact: Contact): string {
  let filled = ''
  for (const part of parts) {
    filled += typeof part === 'string' ? part : fillSlot(part, contact)
  }
  return filled
}

function fillSlot(slot: Slot, contact: Contact): string {
  if ('link' in slot) return fillLink(slot, contact.links)
  const value = contactValue(contact, slot.value)
  return escapeValue(value === '' ? slot.fallback : value, slot.context)
}

function fillLink(slot: LinkSlot, links: ContactLinks | undefined): string {
  if (links === undefined) throw new Error(`a letter with a ${slot.link} link needs a reader`)
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
