/**
 * A domain name in the form that is stored and compared: A-labels (RFC 5891), lower case, no
 * trailing dot. All spellings of a name have the same form. Names that no public mail system
 * accepts are rejected: single labels, IP addresses, underscores.
 */
import { domainToASCII } from 'node:url'

export type ParsedDomain =
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'invalid'; readonly rule: string }

const domainCharactersMax = 253
/** Limits the text before the conversion. A name is never longer in Unicode than in A-labels. */
const typedCharactersMax = 1_000

const labelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/**
 * The conversion parses a URL, in which these characters would end the host or have another
 * meaning.
 */
const asciiOfNoDomain = /[^\P{ASCII}A-Za-z0-9.-]/u
/** URL parsers read `0x7f.1` as an IPv4 address, and no top-level domain starts with a digit. */
const numericEnd = /^[0-9]/

/** Parses trimmed text. */
export function parseDomainName(text: string): ParsedDomain {
  const typed = text.replace(/\.$/, '')
  if (typed === '') return invalid('must not be empty')
  if (typedCharactersMax < typed.length)
    return invalid('must be a domain of at most 253 characters')
  if (asciiOfNoDomain.test(typed)) {
    return invalid('must be a domain of letters, digits, hyphens and dots')
  }
  const end = typed.slice(typed.lastIndexOf('.') + 1)
  if (numericEnd.test(end)) return invalid('must not be an IP address')
  const domain = domainToASCII(typed).toLowerCase()
  if (domain === '') return invalid('must be a domain that can be written in A-labels')
  if (domainCharactersMax < domain.length) {
    return invalid('must be a domain of at most 253 characters')
  }
  const labels = domain.split('.')
  if (labels.length < 2) return invalid('must be a full domain, with a dot in it')
  if (labels.some((label) => !labelPattern.test(label))) {
    return invalid('must be a domain whose parts have 1 to 63 letters, digits or inner hyphens')
  }
  if (numericEnd.test(labels.at(-1) ?? '')) return invalid('must not be an IP address')
  return { kind: 'domain', domain }
}

/** Whether the domain or one of its parent domains is among the entries. */
export function isWithin(domain: string, entries: ReadonlySet<string>): boolean {
  let name = domain
  while (true) {
    if (entries.has(name)) return true
    const dot = name.indexOf('.')
    if (dot === -1) return false
    name = name.slice(dot + 1)
  }
}

function invalid(rule: string): ParsedDomain {
  return { kind: 'invalid', rule }
}
