/**
 * A domain name as everything compares it: A-labels (RFC 5891), lower case, no trailing dot. Two
 * spellings of one name become one text here, and what no public mail system would take is refused:
 * single labels, addresses in disguise, underscores.
 */
import { domainToASCII } from 'node:url'

export type ParsedDomain =
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'invalid'; readonly rule: string }

const domainCharactersMax = 253
/**
 * Before the conversion: a name is never longer in Unicode than in A-labels, so this only bounds
 * the work.
 */
const typedCharactersMax = 1_000

const letterDigitHyphen = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** The conversion is a URL's, where these would end the host or mean something else. */
const asciiOfNoDomain = /[^\P{ASCII}A-Za-z0-9.-]/u
/** URLs read `0x7f.1` as an IPv4 address; no top-level domain begins with a digit. */
const numericEnd = /^[0-9]/

/** Of trimmed text. */
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
  if (labels.some((label) => !letterDigitHyphen.test(label))) {
    return invalid('must be a domain whose parts have 1 to 63 letters, digits or inner hyphens')
  }
  if (numericEnd.test(labels.at(-1) ?? '')) return invalid('must not be an IP address')
  return { kind: 'domain', domain }
}

/**
 * An entry blocks its domain and every domain below it, never a neighbour that merely ends alike.
 */
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
