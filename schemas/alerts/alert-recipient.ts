/** Recipients of alert emails, as rules name them in `to`. */
import { parseEmailAddress } from '../email-address.ts'

export type AlertRecipient =
  | { readonly kind: 'owners' | 'assignee' }
  | { readonly kind: 'team'; readonly slug: string }
  | { readonly kind: 'person'; readonly id: string }
  | {
      readonly kind: 'address'
      readonly email: string
      /** In lower case. */
      readonly key: string
      readonly domain: string
    }
  /** The rule continues the name of the field. */
  | { readonly kind: 'invalid'; readonly rule: string }

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const slugPattern = /^[a-z0-9][a-z0-9-]{0,49}$/
const teamPrefix = 'team:'

/** Reads `owners`, `assignee`, `team:<slug>`, the id of a person, or an email address. */
export function parseAlertRecipient(text: string): AlertRecipient {
  if (text === 'owners' || text === 'assignee') return { kind: text }
  if (text.startsWith(teamPrefix)) {
    const slug = text.slice(teamPrefix.length).toLowerCase()
    return slugPattern.test(slug)
      ? { kind: 'team', slug }
      : { kind: 'invalid', rule: 'must name a team by its slug, such as team:backend' }
  }
  if (uuidPattern.test(text)) return { kind: 'person', id: text.toLowerCase() }
  if (!text.includes('@')) {
    const rule =
      'must be owners, assignee, team:<slug>, the id of a person, or an email address of the organization'
    return { kind: 'invalid', rule }
  }
  const parsed = parseEmailAddress(text)
  return parsed.kind === 'invalid' ? parsed : { ...parsed, kind: 'address' }
}
