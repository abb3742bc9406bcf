/**
 * Plans the preflight checks of a campaign: each has a level and one sentence. It does no I/O: the
 * caller reads the facts.
 */
import type { CompiledEmail } from '#schemas/mail/compiled-email.ts'
import type { Check, Preflight } from '#schemas/rest/email/campaign-admin.ts'
import type { DnsRecordCheck } from '#schemas/rest/email/sending-domain.ts'
import type { InspectedEmail } from '../../compose/inspect-email.ts'
import type { FromVerdict } from '../../sending-domains/from-address.ts'

export interface PreflightFacts extends InspectedEmail {
  readonly audience: { readonly subscribed: number; readonly suppressed: number }
  /** Subscribers without a value, by placeholder that has no fallback. */
  readonly missing: ReadonlyMap<string, number>
  readonly domain: { readonly name: string; readonly check: DomainFindings | undefined }
  readonly from: FromVerdict
  readonly postalAddress: string | null
}

export interface DomainFindings {
  readonly checkedAt: Date | null
  readonly result: readonly Pick<DnsRecordCheck, 'use' | 'state'>[] | null
}

const grouped = new Intl.NumberFormat('en')
const htmlBytesWarned = 90 * 1024
const linksNamedMax = 5

export function planPreflight(facts: PreflightFacts): Preflight {
  const { subscribed, suppressed } = facts.audience
  const htmlBytes = Buffer.byteLength(facts.emptyHtml)
  const checks = [
    audienceCheck(subscribed, suppressed),
    unsubscribeCheck(facts.composed.email, facts.hidden),
    textCheck(facts.emptyText),
    sizeCheck(htmlBytes),
    ...valueChecks(facts.missing),
    linkCheck(facts.addresses, facts.removed),
    domainCheck(facts.domain),
    ...fromChecks(facts.from),
    postalCheck(facts.postalAddress, facts.hidden),
    ...foreignCheck(facts.foreignTags),
    ...facts.composed.warnings
      .filter((sentence) => !sentence.includes('90 KB'))
      .map((sentence) => check('source', 'warning', sentence)),
  ]
  return {
    ready: checks.every(({ level }) => level !== 'error'),
    audience: { subscribed, suppressed, receiving: subscribed - suppressed },
    htmlBytes,
    checks,
  }
}

function check(name: string, level: Check['level'], sentence: string): Check {
  return { name, level, sentence }
}

function audienceCheck(subscribed: number, suppressed: number): Check {
  if (subscribed - suppressed === 0) {
    return check('audience', 'error', 'Nobody would get this: there are no subscribers.')
  }
  const verb = suppressed === 1 ? 'is' : 'are'
  const kept =
    suppressed === 0
      ? ''
      : `; ${grouped.format(suppressed)} ${verb} suppressed and ${suppressed === 1 ? 'gets' : 'get'} nothing`
  const receiving = subscribed - suppressed
  const people =
    receiving === 1 ? '1 subscriber gets' : `${grouped.format(receiving)} subscribers get`
  return check('audience', 'ok', `${people} this${kept}.`)
}

function unsubscribeCheck(email: CompiledEmail, hidden: PreflightFacts['hidden']): Check {
  const holds = (parts: CompiledEmail['html']) =>
    parts.some((part) => typeof part !== 'string' && 'link' in part && part.link === 'unsubscribe')
  if (!holds(email.html) || !holds(email.text)) {
    return check('unsubscribe', 'error', 'The email has no unsubscribe link.')
  }
  const found = hidden.find(({ part }) => part === 'unsubscribe')
  return found === undefined
    ? check('unsubscribe', 'ok', 'The email contains an unsubscribe link.')
    : check('unsubscribe', 'error', `The styles hide the unsubscribe link (${found.by}).`)
}

function textCheck(text: string): Check {
  // The footer follows this separator (RFC 3676 §4.3).
  const written = `\n${text}`.split('\n-- \n', 1)[0]!.trim()
  return written === ''
    ? check('text', 'warning', 'The email has no text, only images; many recipients see nothing.')
    : check('text', 'ok', 'The email has a text part.')
}

function sizeCheck(bytes: number): Check {
  const kilobytes = Math.ceil(bytes / 1024)
  return htmlBytesWarned < bytes
    ? check('size', 'warning', `The email has ${kilobytes} KB; Gmail clips emails at about 100 KB.`)
    : check('size', 'ok', `The email has ${kilobytes} KB.`)
}

function valueChecks(missing: PreflightFacts['missing']): Check[] {
  return [...missing]
    .filter(([, count]) => 0 < count)
    .map(([value, count]) =>
      check(
        'values',
        'warning',
        `${count === 1 ? '1 subscriber has' : `${grouped.format(count)} subscribers have`} no value for {{${value}}}; they see nothing in its place.`,
      ),
    )
}

function linkCheck(addresses: readonly string[], removed: readonly string[]): Check {
  const broken = addresses.filter(isBroken)
  const sentences = [
    ...(broken.length === 0 ? [] : [`Links that lead nowhere: ${namesOf(broken)}.`]),
    ...(removed.length === 0
      ? []
      : [
          `Removed, because emails cannot have such addresses: ${namesOf(removed)}. Begin them with https://.`,
        ]),
  ]
  return sentences.length === 0
    ? check('links', 'ok', linksSentence(addresses.length))
    : check('links', 'warning', sentences.join(' '))
}

function namesOf(addresses: readonly string[]): string {
  const named = addresses.slice(0, linksNamedMax).map((address) => `"${address.slice(0, 100)}"`)
  const rest = addresses.length - named.length
  return rest === 0 ? named.join(', ') : `${named.join(', ')} and ${rest} more`
}

function linksSentence(count: number): string {
  if (count === 0) return 'The email has no links.'
  return count === 1 ? 'The link has a target.' : `All ${count} links have a target.`
}

/** Relative addresses are broken: an email has no base URL. */
function isBroken(address: string): boolean {
  if (address.startsWith('#') && address.length > 1) return false
  if (/^(?:mailto|tel|sms):./i.test(address) || address.startsWith('{{')) return false
  return !/^https?:\/\//i.test(address) || !URL.canParse(address.replace(/\{\{[^{}]*\}\}/g, 'x'))
}

function domainCheck({ name, check: found }: PreflightFacts['domain']): Check {
  if (found?.checkedAt === undefined || found.checkedAt === null) {
    return check('domain', 'warning', `SPF, DKIM and DMARC of ${name} have not been checked.`)
  }
  const passed = new Set(
    found.result?.filter(({ state }) => state === 'pass').map(({ use }) => use),
  )
  const failing = (['spf', 'dkim', 'dmarc'] as const).filter((use) => !passed.has(use))
  return failing.length === 0
    ? check('domain', 'ok', `SPF, DKIM and DMARC of ${name} are right.`)
    : check('domain', 'warning', `Not right for ${name}: ${failing.join(', ').toUpperCase()}.`)
}

function fromChecks(from: FromVerdict): Check[] {
  if (from.kind === 'ok') return []
  return [check('from', from.kind === 'refused' ? 'error' : 'warning', from.sentence)]
}

function postalCheck(postalAddress: string | null, hidden: PreflightFacts['hidden']): Check {
  if (postalAddress === null || postalAddress.trim() === '') {
    return check(
      'postal',
      'warning',
      'No postal address: some countries require one in every email.',
    )
  }
  const found = hidden.find(({ part }) => part === 'postal')
  return found === undefined
    ? check('postal', 'ok', 'The footer names a postal address.')
    : check('postal', 'error', `The styles hide the postal address (${found.by}).`)
}

function foreignCheck(tags: readonly string[]): Check[] {
  if (tags.length === 0) return []
  const named = tags.map((tag) => `"${tag}"`).join(', ')
  const sentence = `Merge tags of another product are sent as typed: ${named}. Placeholders are {{name}} and {{attr.key}}.`
  return [check('merge_tags', 'warning', sentence)]
}
