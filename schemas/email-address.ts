/**
 * The one reading of an email address, used wherever two of them are compared. `key` says which
 * mailbox it is; `email` keeps the spelling that the person typed, for showing and for the
 * envelope. Dots and `+tags` are not folded: to their owner they are different subscriptions. Legal
 * forms of RFC 5321 that no reader has (quoted local parts, comments, IP literals) are refused.
 */
import { isWithin, parseDomainName } from './domain-name.ts'

export type ParsedEmailAddress =
  | {
      readonly kind: 'address'
      /** As typed and trimmed, the domain as A-label. */
      readonly email: string
      /** The same with the local part in lower case. */
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
  // It would need SMTPUTF8 on every hop, and a relay without it is noticed only when the letter is
  // lost.
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
 * Whether a blocked domain, or one that this domain lies below, is on the list. Entries as
 * `parseDomainName` writes them.
 */
export function isBlockedBy(domain: string, blocked: ReadonlySet<string>): boolean {
  return isWithin(domain, blocked)
}

function invalid(rule: string): ParsedEmailAddress {
  return { kind: 'invalid', rule }
}
