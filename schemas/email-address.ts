/**
 * Parses email addresses; used wherever addresses are compared. `key` identifies the mailbox;
 * `email` keeps the spelling that was typed, for display and for the SMTP envelope. Dots and
 * `+tags` are kept, because people use them for different subscriptions. Forms of RFC 5321 that
 * subscribers do not use are rejected (quoted local parts, comments, IP literals).
 */
import { isWithin, parseDomainName } from './domain-name.ts'

export type ParsedEmailAddress =
  | {
      readonly kind: 'address'
      /** The address as typed and trimmed, with the domain in A-labels. */
      readonly email: string
      /** The same address with the local part in lower case. */
      readonly key: string
      readonly domain: string
    }
  | { readonly kind: 'invalid'; readonly rule: string }

const addressCharactersMax = 254
const localCharactersMax = 64
const typedCharactersMax = 1_100

const controls = /\p{Cc}/u
const notAscii = /\P{ASCII}/u
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

export function parseEmailAddress(text: string): ParsedEmailAddress {
  const typed = text.trim()
  if (typed === '') return invalid('must not be empty')
  if (typedCharactersMax < typed.length) return invalid('must have at most 254 characters')
  if (controls.test(typed)) return invalid('must not hold control characters')
  if (typed.includes('"')) return invalid('must have no quoted part before the @')
  const at = typed.indexOf('@')
  if (at === -1) return invalid('must be an email address, with an @ in it')
  if (at !== typed.lastIndexOf('@')) return invalid('must hold only one @')

  const local = typed.slice(0, at)
  if (local === '') return invalid('must have something before the @')
  if (localCharactersMax < local.length) {
    return invalid('must have at most 64 characters before the @')
  }
  // Such an address needs SMTPUTF8 on every hop, and a relay without it would lose the email.
  if (notAscii.test(local)) return invalid('must have only ASCII characters before the @')
  if (!dotAtom.test(local)) {
    return invalid('must have only letters, digits, signs and single inner dots before the @')
  }

  const parsed = parseDomainName(typed.slice(at + 1))
  if (parsed.kind === 'invalid') return invalid(`its domain ${parsed.rule}`)
  const { domain } = parsed
  const email = `${local}@${domain}`
  if (addressCharactersMax < email.length) return invalid('must have at most 254 characters')
  return { kind: 'address', email, key: `${local.toLowerCase()}@${domain}`, domain }
}

/**
 * Whether the domain or one of its parent domains is blocked. Entries are in the form of
 * `parseDomainName`.
 */
export function isBlockedBy(domain: string, blocked: ReadonlySet<string>): boolean {
  return isWithin(domain, blocked)
}

function invalid(rule: string): ParsedEmailAddress {
  return { kind: 'invalid', rule }
}
