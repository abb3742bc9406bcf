/** Checks the DNS records of a sending domain. It does no I/O: `query-records.ts` queries them. */
import type { DnsRecordCheck, DnsRecordUse } from '#schemas/rest/email/sending-domain.ts'
import { proofText } from './dns-records.ts'

type Verdict = Pick<DnsRecordCheck, 'state' | 'hint'>

const pass: Verdict = { state: 'pass', hint: null }

/** Looks for the organization's own token among those of other organizations. */
export function checkProof(texts: readonly string[], token: string): Verdict {
  const wanted = proofText(token)
  if (texts.some((text) => text.trim() === wanted)) return pass
  return texts.some((text) => text.trim().startsWith(proofText('')))
    ? wrong('This is the token of another organization: add one with your own value.')
    : { state: 'missing', hint: 'Add the TXT record.' }
}

/** Exactly one key must be published: the key that signs (RFC 6376 §3.6.1). */
export function checkDkim(texts: readonly string[], publicKey: string): Verdict {
  const keys = texts.map(tagsOf).filter((tags) => tags.has('p'))
  if (keys.length === 0) return { state: 'missing', hint: 'Add the TXT record.' }
  if (keys.length > 1) return wrong('There are several keys under this selector: keep one.')
  const [tags = new Map<string, string>()] = keys
  const published = tags.get('p')?.replaceAll(/\s/g, '')
  if (published === '') return wrong('The key is revoked: its p= is empty.')
  if (published !== publicKey) return wrong('This is another key. Was a part of it cut off?')
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1' || (tags.get('k') ?? 'rsa') !== 'rsa') {
    return wrong('It must say v=DKIM1 and k=rsa.')
  }
  const hashes = tags
    .get('h')
    ?.split(':')
    .map((hash) => hash.trim())
  if (hashes !== undefined && !hashes.includes('sha256')) return wrong('Its h= must allow sha256.')
  return pass
}

/**
 * There must be one record; it must contain the terms of MAIL_SPF before `all`, and must not allow
 * every sender (RFC 7208 §4.5).
 */
export function checkSpf(texts: readonly string[], terms: string): Verdict {
  const records = texts.filter((text) => /^v=spf1(?: |$)/i.test(text))
  if (records.length === 0) return { state: 'missing', hint: 'Add the TXT record.' }
  if (records.length > 1)
    return wrong('There are several SPF records, so receivers ignore all of them: keep one.')
  const found = (records[0] ?? '').toLowerCase().split(/ +/).slice(1)
  const bare = new Set(found.map((term) => term.replace(/^\+/, '')))
  if (bare.has('all')) return wrong('It allows every sender: end it with ~all or -all.')
  const lacking = terms
    .toLowerCase()
    .split(/ +/)
    .filter((term) => !bare.has(term.replace(/^\+/, '')))
  if (lacking.length > 0) return wrong(`It lacks ${lacking.join(' ')}.`)
  // Receivers ignore terms after `all`.
  const all = found.findIndex((term) => /^[-~?]all$/.test(term))
  const isBehind = (term: string) => all !== -1 && all < found.indexOf(term)
  if (terms.toLowerCase().split(/ +/).some(isBehind))
    return wrong('The terms of Sluice must come before all.')
  return pass
}

/**
 * `inherited`: records of the organizational domain, which apply to a domain without a record of
 * its own (RFC 7489 §6.6.3).
 */
export function checkDmarc(texts: readonly string[], inherited: readonly string[] = []): Verdict {
  const own = texts.filter(isDmarc)
  const records = own.length > 0 ? own : inherited.filter(isDmarc)
  if (records.length === 0) return { state: 'missing', hint: 'Add the TXT record.' }
  if (records.length > 1)
    return wrong('There are several DMARC records, so receivers ignore all of them: keep one.')
  const policy = tagsOf(records[0] ?? '').get('p')
  return ['none', 'quarantine', 'reject'].includes(policy?.toLowerCase() ?? '')
    ? pass
    : wrong('Its p= must be none, quarantine or reject.')
}

export function checkMx(hosts: readonly string[]): Verdict {
  return hosts.some((host) => host !== '')
    ? pass
    : { state: 'missing', hint: 'Only needed when bounces come back as emails.' }
}

/** Keeps the first records, shortened, for people who look at their name server's answer. */
export function describeCheck(
  use: DnsRecordUse,
  found: readonly string[],
  verdict: Verdict,
): DnsRecordCheck {
  return {
    use,
    ...verdict,
    found: found.slice(0, foundMax).map((text) => text.slice(0, foundCharactersMax)),
  }
}

const foundMax = 10
const foundCharactersMax = 1_000

function wrong(hint: string): Verdict {
  return { state: 'wrong', hint }
}

function isDmarc(text: string): boolean {
  return /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text)
}

function tagsOf(text: string): Map<string, string> {
  const tags = new Map<string, string>()
  for (const tag of text.split(';')) {
    const equals = tag.indexOf('=')
    if (equals !== -1) tags.set(tag.slice(0, equals).trim(), tag.slice(equals + 1).trim())
  }
  return tags
}
