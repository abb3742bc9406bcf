import { getPublicSuffix } from 'tldts'
import { parseDomainName } from '#schemas/domain-name.ts'
import { invalidField } from '../http/validation/invalid-field.ts'

/**
 * Whether names below the domain belong to different owners, as below `co.uk`. `domain`: in
 * A-labels.
 */
export function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain
}

/**
 * Returns the domain in the form in which it is compared. Throws 400 with the name of `field` for
 * text that is no domain.
 */
export function requireDomainName(field: string, text: string): string {
  const parsed = parseDomainName(text.trim())
  if (parsed.kind === 'invalid') throw invalidField(field, parsed.rule)
  return parsed.domain
}

/** Like `requireDomainName`, and refuses public suffixes, which no organization can own. */
export function parseSenderDomain(field: string, text: string): string {
  const domain = requireDomainName(field, text)
  if (isPublicSuffix(domain)) {
    const rule = `must be the domain of one organization, and ${domain} is a public suffix, below which anybody can register a name`
    throw invalidField(field, rule)
  }
  return domain
}
