/**
 * Decides why an email bounced, for all reports: our own SMTP sessions, bounce messages (RFC 3464)
 * and the webhooks of providers. The most harmful error is to treat a rejection of the sender as
 * one of the mailbox: a single broken DKIM record would then suppress the whole list. So a mailbox
 * counts as missing only if nothing contradicts it, and if the provider's label and the server's
 * reply disagree, the milder one decides.
 *
 * Never throws, for any types of the fields. Reads a bounded part of the text, in linear time.
 */
import type { BounceKind } from './bounce.ts'
import { type BounceLabel, type BounceSource, bounceLabels } from './bounce-labels.ts'

/** Fields of a report. They come from outside and may have any type. */
export interface BounceEvidence {
  readonly source: BounceSource
  /** The provider's classification, such as `Permanent` and `MailboxFull`. */
  readonly type?: unknown
  readonly subtype?: unknown
  /** Enhanced status code (RFC 3463), such as `5.1.1`. */
  readonly status?: unknown
  /** SMTP reply code. */
  readonly code?: unknown
  /** The reply of the server or the message of the provider. */
  readonly text?: unknown
  /**
   * The server rejected the email after it had received the whole message, so the reply may come
   * from a content filter.
   */
  readonly afterContent?: boolean
}

/**
 * Kinds of permanent replies by enhanced status code without its class. For other codes, the
 * subject (the first number) decides.
 */
const permanentStatuses: Readonly<Record<string, BounceKind>> = {
  '1.1': 'mailbox',
  '1.2': 'mailbox',
  '1.3': 'mailbox',
  '1.6': 'mailbox',
  '1.10': 'mailbox',
  '1.7': 'policy',
  '1.8': 'policy',
  '1.9': 'policy',
  '2.1': 'mailbox',
  '2.2': 'transient',
  '2.3': 'size',
  '2.4': 'routing',
  '3.4': 'size',
}
const permanentSubjects: Readonly<Record<string, BounceKind>> = {
  '1': 'unclear',
  '2': 'unclear',
  '3': 'routing',
  '4': 'routing',
  '5': 'policy',
  '6': 'content',
  '7': 'policy',
}
const temporaryStatuses: Readonly<Record<string, BounceKind>> = { '2.3': 'size', '3.4': 'size' }
const temporarySubjects: Readonly<Record<string, BounceKind>> = { '6': 'content', '7': 'policy' }

/**
 * Codes that say no more than the three digits of the reply. Outlook.com answers 5.5.0 for all that
 * it does not explain.
 */
const vagueStatuses: ReadonlySet<string> = new Set(['0.0', '1.0', '2.0', '5.0'])

/** Reply codes that a server without enhanced codes gives for an unknown mailbox. */
const mailboxCodes: ReadonlySet<number> = new Set([550, 551, 553])

const listPattern =
  /suppress(?:ed|ion) (?:list|sending)|has suppressed|not delivering to (?:a )?(?:previously|user who)|\b(?:bounced|unsubscribed|spam reporting) address\b/i
const greylistPattern = /gr[ae]y[- ]?list|postgrey/i
/** Greylisting servers call it a mailbox's status, for want of a better one. */
const laterPattern = /try (?:again|later)|\blater\b|temporar/i
const throttledPattern =
  /receiving (?:mail|e-?mails?|messages) (?:at a rate|too)|too many (?:messages|recipients|connections)|rate limit/i
const reputationPattern =
  /spamhaus|spamcop|barracuda|proofpoint|cloudmark|black-?list|block-?list|block list|deny-?list|\brbl\b|dnsbl|reputation|blocked|reverse dns|\bptr\b|banned sending ip/i
const contentPattern = /\bspam\b|virus|malware|phish|content|attachment|\bbulk\b/i
const policyPattern =
  /\bsender\b|policy|policies|\bdkim\b|\bspf\b|\bdmarc\b|unauthenticated|authenti|relay(?:ing)?\b|\bhelo\b|\behlo\b|access denied|not authori[sz]ed|unsolicited/i
/** The server tried the sender's address, and repeats what was said of that. */
const senderPattern =
  /\bsender (?:address )?(?:rejected|denied|unknown|invalid|verif)|\bbad sender\b/i
const routingPattern =
  /hop count|too many hops|mail loop|loops? back|routing loop|loop detected|unable to get mx|dns (?:error|lookup)/i
const sizePattern =
  /message (?:size|length)|size limit|too (?:large|big)\b|exceeds? [^.;]{0,30}\bsize\b/i
const fullPattern =
  /\b(?:mailbox|inbox|user|account)\b[^.;]{0,40}\bfull\b|\b(?:over|exceeded?s?)\b[^.;]{0,30}\bquota\b|\bover ?quota\b|\bquota (?:exceeded|full)\b|exceeded storage|out of storage/i
const unknownPattern =
  /\b(?:user|mailbox|recipient|account|address(?:ee)?)\b[^.;]{0,80}?\b(?:unknown|not found|does ?n[o']t exist|not exist|no longer exists?|invalid|is inactive|is disabled)\b|\b(?:unknown|no such|invalid)\s+(?:local\s+)?(?:user|mailbox|recipient|account|address(?:ee)?)\b|\bno mailbox (?:here )?by that name\b/i
/** Yahoo says it with 554, a code that means anything. */
const noAccountPattern = /\bdoes ?n[o']?t have an? \S{1,60} account\b/i
const noDomainPattern =
  /\b(?:host|domain)(?: or domain)?(?: name)? (?:is )?(?:not found|unknown|invalid|does not exist|doesn't exist)|\b(?:invalid|unknown|no such|nonexistent) (?:domain|host)|unrouteable address|nxdomain/i

/**
 * For replies without a telling code, in this order: causes at the sender are tested before those
 * at the mailbox.
 */
const words: readonly (readonly [BounceKind, RegExp])[] = [
  ['routing', routingPattern],
  ['reputation', reputationPattern],
  ['transient', fullPattern],
  ['size', sizePattern],
  ['content', contentPattern],
  ['policy', policyPattern],
  ['transient', throttledPattern],
]

const textCharactersMax = 2_000
const labelCharactersMax = 60

export function classifyBounce(evidence: BounceEvidence): BounceKind {
  const label = labelOf(evidence)
  if (label?.final === true) return label.kind
  const reply = replyOf(evidence)
  if (listPattern.test(reply.text)) return 'provider_list'
  const said = kindOfReply(reply)
  if (said === undefined) return kindOfLabel(label, reply)
  // A provider that goes on trying, or that blames something else, knows more than one reply.
  return said === 'mailbox' && label !== undefined && label.kind !== 'unclear' ? label.kind : said
}

function labelOf({ source, type, subtype }: BounceEvidence): BounceLabel | undefined {
  const known = Object.hasOwn(bounceLabels, source) ? bounceLabels[source] : {}
  const [outer, inner] = [wordOf(type), wordOf(subtype)]
  for (const name of [`${outer}/${inner}`, `${outer}/`]) {
    // A subtype that is not in the table may mean anything, but not that the mailbox is gone.
    const label = Object.hasOwn(known, name) ? known[name] : undefined
    if (label === undefined) continue
    const isFallback = inner !== '' && name === `${outer}/`
    return isFallback && label.kind === 'mailbox' ? { kind: 'unclear' } : label
  }
  return undefined
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, labelCharactersMax).trim().toLowerCase() : ''
}

interface Reply {
  /** 0: not said. */
  readonly code: number
  /** Subject and detail, as in `1.1`; undefined: not said, or vague. */
  readonly status: string | undefined
  readonly vagueStatus: string | undefined
  readonly isTemporary: boolean
  readonly isPermanent: boolean
  /** Without email addresses, whose words mean nothing. */
  readonly text: string
  readonly afterContent: boolean
}

const statusPattern = /^\s*([245])\.(\d{1,3}\.\d{1,3})(?!\d|\.\d)/
const codePattern = /(?:^|[\s;:("'<])([245]\d\d)(?=$|[\s\-:;,)])/
const statusInTextPattern = /(?:^|[\s;:(#-])([245])\.(\d{1,3}\.\d{1,3})(?!\d|\.\d)/
const addressPattern = /[^\s<>@]{1,64}@[^\s<>@]{1,255}/g

function replyOf({ status, code, text, afterContent }: BounceEvidence): Reply {
  const said = typeof text === 'string' ? text.slice(0, textCharactersMax) : ''
  const bare = said.replace(addressPattern, '')
  const given = typeof status === 'string' ? statusPattern.exec(status.slice(0, 20)) : null
  const found = statusInTextPattern.exec(bare)
  const isVague = (match: RegExpExecArray | null) =>
    match === null || vagueStatuses.has(match[2] ?? '')
  const chosen = isVague(given) ? (isVague(found) ? (given ?? found) : found) : given
  const codeGiven = typeof code === 'string' ? Number(code.slice(0, 3)) : code
  const replyCode = isReplyCode(codeGiven) ? codeGiven : Number(codePattern.exec(bare)?.[1] ?? 0)
  const classes = [chosen?.[1], replyCode === 0 ? undefined : String(replyCode)[0]]
  const isTemporary = classes.includes('4')
  return {
    code: replyCode,
    status: isVague(chosen) ? undefined : chosen?.[2],
    vagueStatus: isVague(chosen) ? chosen?.[2] : undefined,
    isTemporary,
    isPermanent: !isTemporary && classes.includes('5'),
    text: bare,
    afterContent: afterContent === true,
  }
}

function isReplyCode(code: unknown): code is number {
  return typeof code === 'number' && Number.isInteger(code) && 400 <= code && code < 600
}

/** Undefined: it says nothing certain. */
function kindOfReply(reply: Reply): BounceKind | undefined {
  const { status, text } = reply
  if (reply.isTemporary) return kindOfTemporary(reply)
  if (greylistPattern.test(text)) return 'none'
  if (status === undefined) return kindOfWords(reply)
  const subject = subjectOf(status)
  const kind = permanentStatuses[status] ?? permanentSubjects[subject] ?? 'unclear'
  if (status === '4.4' && noDomainPattern.test(text)) return 'mailbox'
  if (kind === 'policy' && subject === '7' && reputationPattern.test(text)) return 'reputation'
  if (kind !== 'mailbox') return kind
  if (reputationPattern.test(text)) return 'reputation'
  if (senderPattern.test(text)) return 'policy'
  return throttledPattern.test(text) ? 'transient' : 'mailbox'
}

function kindOfTemporary({ status, vagueStatus, text }: Reply): BounceKind {
  if (greylistPattern.test(text)) return 'none'
  if (vagueStatus === '2.0' && laterPattern.test(text)) return 'none'
  if (status !== undefined) {
    const kind = temporaryStatuses[status] ?? temporarySubjects[subjectOf(status)] ?? 'transient'
    return kind === 'policy' && reputationPattern.test(text) ? 'reputation' : kind
  }
  return words.find(([, pattern]) => pattern.test(text))?.[0] ?? 'transient'
}

function subjectOf(status: string): string {
  return status.slice(0, status.indexOf('.'))
}

function kindOfWords(reply: Reply): BounceKind | undefined {
  const said = words.find(([, pattern]) => pattern.test(reply.text))?.[0]
  if (said !== undefined) return said
  if (noAccountPattern.test(reply.text)) return 'mailbox'
  if (reply.afterContent || !reply.isPermanent) return undefined
  if (reply.code !== 0 && !mailboxCodes.has(reply.code)) return undefined
  const isGone = unknownPattern.test(reply.text) || noDomainPattern.test(reply.text)
  return isGone ? 'mailbox' : undefined
}

/**
 * The reply says nothing certain, so the provider's word stands, unless the code is one that no
 * missing mailbox gives.
 */
function kindOfLabel(label: BounceLabel | undefined, { code }: Reply): BounceKind {
  if (label === undefined) return 'unclear'
  const isContradicted = code >= 500 && !mailboxCodes.has(code)
  return label.kind === 'mailbox' && isContradicted ? 'unclear' : label.kind
}
