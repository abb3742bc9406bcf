/**
 * Regular expressions that find one person's email address and IP address within stored text. They
 * use only what Postgres (ARE), ClickHouse (RE2) and JavaScript have in common. Characters of the
 * address match in any case and in the encodings that occur in stored text: percent-encoding, JSON
 * escapes and HTML references. Longer addresses that contain this one do not match.
 */
import { domainToUnicode } from 'node:url'
import ipaddr from 'ipaddr.js'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'

/** Replaces every value that named the person. */
export const erasedText = '[erased]'

export interface PersonPattern {
  /** For text. Group 1 is what stands before the address and group 2 what stands after it. */
  readonly text: string
  /** The same for serialised JSON, which stays valid when the address is replaced. */
  readonly json: string
}

/**
 * What may precede an address in JSON: an escape sequence is one character. A run of backslashes is
 * taken in pairs from its beginning, because the last one of an odd run belongs to what follows: it
 * would escape the replacement, and the JSON would be invalid.
 */
// cspell:ignore nrtbf
const escapes = [
  '\\\\["/nrtbf]',
  '(?:^|[^\\\\])(?:\\\\\\\\)+',
  '\\\\u[0-9A-Fa-f]{4}',
  '%[0-9A-Fa-f]{2}',
]

/** One pattern for each address of the person; none when only a user id is known. */
export function personPatterns({ email, address }: PersonSubject): PersonPattern[] {
  const patterns: PersonPattern[] = []
  if (email !== undefined) {
    // A full stop or a hyphen ends the address unless more of a domain follows.
    const after = '([.-]{0,20}(?:$|[^A-Za-z0-9.-]))'
    patterns.push(patternOf('A-Za-z0-9._+-', emailBody(email), after))
  }
  if (address?.includes(':')) {
    patterns.push(patternOf('A-Za-z0-9:.', sixBody(address), '($|[^A-Za-z0-9:])'))
  } else if (address !== undefined) {
    // Also as the last part of an IPv4-mapped IPv6 address.
    const body = `(?:::ffff:)?${encoded(address)}`
    patterns.push(patternOf('A-Za-z0-9.', body, '(\\.{0,20}(?:$|[^A-Za-z0-9.]))'))
  }
  return patterns
}

function patternOf(characters: string, body: string, after: string): PersonPattern {
  const around = (excluded: string) => `(^|[^${excluded}]|${escapes.join('|')})${body}${after}`
  return { text: around(characters), json: around(`\\\\${characters}`) }
}

/** Replaces all occurrences. Twice, because two neighbours may share the character between them. */
export function eraseInText(
  text: string,
  patterns: readonly PersonPattern[],
  form: keyof PersonPattern,
): string {
  let erased = text
  for (const pattern of patterns) {
    const expression = new RegExp(pattern[form], 'gi')
    for (const _ of [1, 2]) erased = erased.replace(expression, `$1${erasedText}$2`)
  }
  return erased
}

/**
 * The spellings of an address that name the same mailbox, in lower case: with the domain in
 * A-labels, as the key has it, and in Unicode.
 */
export function spellingsOf(email: string): readonly string[] {
  const { local, domains } = partsOf(email)
  return domains.map((domain) => `${local}@${domain}`)
}

function partsOf(email: string): { local: string; domains: readonly string[] } {
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  const domain = email.slice(at + 1)
  const unicode = domainToUnicode(domain)
  return { local, domains: unicode === '' || unicode === domain ? [domain] : [domain, unicode] }
}

function emailBody(email: string): string {
  const { local, domains } = partsOf(email)
  return `${encoded(local)}${encoded('@')}(?:${domains.map(encoded).join('|')})`
}

/** Every form of an IPv6 address: with leading zeros, and with any run of zero groups left out. */
function sixBody(address: string): string {
  const { parts } = ipaddr.IPv6.parse(address)
  const colon = encoded(':')
  const groups = parts.map((part) => {
    const digits = part.toString(16)
    return digits === '0' ? '0{1,4}' : `0{0,${4 - digits.length}}${digits}`
  })
  const forms = [groups.join(colon)]
  for (const first of parts.keys()) {
    for (let last = first; parts[last] === 0; last += 1) {
      const [left, right] = [groups.slice(0, first), groups.slice(last + 1)]
      forms.push(`${left.join(colon)}${colon}${colon}${right.join(colon)}`)
    }
  }
  return `(?:${forms.join('|')})`
}

function encoded(text: string): string {
  return [...text].map(encodedCharacter).join('')
}

function encodedCharacter(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character
  const code = character.codePointAt(0)!
  const bytes = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
  // A backslash before these characters is never an escape, as it is before A to Z.
  const literal = code < 128 ? `\\${character}` : character
  const units = [...character].flatMap((part) =>
    Array.from({ length: part.length }, (_, index) => {
      return `\\\\{1,4}u${part.charCodeAt(index).toString(16).padStart(4, '0')}`
    }),
  )
  return `(?:${literal}|${bytes.join('')}|${units.join('')}|&#${code};|&#x${code.toString(16)};)`
}
