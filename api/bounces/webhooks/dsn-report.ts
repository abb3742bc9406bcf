/**
 * Parses bounce messages (RFC 3464: `message/delivery-status`) and complaints (RFC 5965:
 * `message/feedback-report`) as a mail server receives them. Only their machine-readable parts
 * count; human-readable texts, vacation replies (RFC 3834) and anything else are ignored. Never
 * throws; one pass over each line, with bounds on parts, depth and recipients.
 */
import type { BounceKind } from '#schemas/mail/bounce.ts'
import { classifyBounce } from '#schemas/mail/classify-bounce.ts'

export interface ReportedRecipient {
  /** The address that the report names; null if only the returned email contains it. */
  readonly email: string | null
  readonly kind: Exclude<BounceKind, 'none'> | 'delivered'
  readonly excerpt: string | null
}

export type MailReport =
  | {
      readonly kind: 'report'
      readonly recipients: readonly ReportedRecipient[]
      /**
       * Texts that may contain our reference: envelope addresses of the report, and the Message-ID
       * of the returned email.
       */
      readonly references: readonly string[]
      /** The Message-ID of the report: a report that is delivered twice counts once. */
      readonly reportId: string | null
    }
  | { readonly kind: 'none' }

/** The machine-readable parts come first; the returned email after them may have any length. */
const messageCharactersMax = 256 * 1024
const partsMax = 30
const depthMax = 4
const recipientsMax = 100
const blocksMax = 10 * recipientsMax
const headerCharactersMax = 64 * 1024

type Headers = ReadonlyMap<string, string>

interface MimePart {
  readonly headers: Headers
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly body: string
}

/** `message`: decoded as latin1 or UTF-8, since the parts that count are ASCII. */
export function parseMailReport(message: string): MailReport {
  const whole = partOf(message.slice(0, messageCharactersMax).replace(/\r\n?/g, '\n'))
  const parts = leavesOf(whole, 0)
  const reportId = whole.headers.get('message-id') ?? null
  const references = referencesOf(whole, parts)
  if (whole.type !== 'multipart/report') {
    // Anything else was written by a person or by a vacation program.
    const recipients = hotmailComplaint(whole, parts)
    return recipients === undefined
      ? { kind: 'none' }
      : { kind: 'report', recipients, references, reportId }
  }
  const feedback = parts.find(({ type }) => type === 'message/feedback-report')
  if (feedback !== undefined) {
    const recipients = complaintOf(feedback)
    return recipients === undefined
      ? { kind: 'none' }
      : { kind: 'report', recipients, references, reportId }
  }
  const status = parts.find(({ type }) => type === 'message/delivery-status')
  if (status === undefined) return { kind: 'none' }
  const recipients = statusOf(status)
  return recipients.length === 0
    ? { kind: 'none' }
    : { kind: 'report', recipients, references, reportId }
}

/** Most complaints do not name the recipient, because providers hide who complained. */
function complaintOf(part: MimePart): ReportedRecipient[] | undefined {
  const fields = fieldsOf(part.body)
  const subtype = fields.get('feedback-type')?.toLowerCase() ?? ''
  const kind = classifyBounce({ source: 'dsn', type: 'complaint', subtype })
  if (kind !== 'complaint' && kind !== 'unsubscribe') return undefined
  const email = fields.get('original-rcpt-to') ?? null
  return [{ email: withoutBrackets(email), kind, excerpt: subtype }]
}

/**
 * Outlook.com's junk mail reporting is older than RFC 5965: it returns the email with the
 * recipient's address as a header.
 */
function hotmailComplaint(
  whole: MimePart,
  parts: readonly MimePart[],
): ReportedRecipient[] | undefined {
  if (!whole.type.startsWith('multipart/')) return undefined
  const returned = parts.find(({ type }) => type === 'message/rfc822')
  const head = returned === undefined ? undefined : fieldsOf(headText(returned.body))
  const email = head?.get('x-hmxmroriginalrecipient')
  if (email === undefined) return undefined
  return [{ email: withoutBrackets(email), kind: 'complaint', excerpt: 'abuse' }]
}

/** The first block is about the message, each of the others about one recipient. */
function statusOf(part: MimePart): ReportedRecipient[] {
  const blocks = part.body
    .split(/\n[ \t]*\n/, blocksMax)
    .map((block) => fieldsOf(block))
    .filter((fields) => fields.has('final-recipient') || fields.has('original-recipient'))
    .slice(0, recipientsMax)
  return blocks.flatMap((fields): ReportedRecipient[] => {
    // The original recipient is preferred to the address that the email was forwarded to.
    const email =
      addressOf(fields.get('original-recipient')) ?? addressOf(fields.get('final-recipient'))
    const action = fields.get('action')?.toLowerCase()
    const diagnostic = (fields.get('diagnostic-code') ?? '').replace(/^[\w-]{1,30}\s*;\s*/, '')
    const enhanced = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0]
    const excerpt = `${enhanced ?? ''} ${diagnostic}`.trim() || null
    if (action === 'delivered') return [{ email, kind: 'delivered', excerpt }]
    if (action !== 'failed') return []
    const kind = classifyBounce({ source: 'dsn', status: enhanced, text: diagnostic })
    return kind === 'none' ? [] : [{ email, kind, excerpt }]
  })
}

/** `rfc822;ada@example.com` */
function addressOf(field: string | undefined): string | null {
  if (field === undefined) return null
  const [type = '', address] = field.split(';', 2)
  if (address === undefined) return withoutBrackets(type)
  return /^(?:rfc822|utf-8)$/i.test(type.trim()) ? withoutBrackets(address) : null
}

function withoutBrackets(address: string | null): string | null {
  const bare = address?.trim().replace(/^<|>$/g, '') ?? ''
  return bare === '' ? null : bare
}

const envelopeFields = ['delivered-to', 'x-original-to', 'envelope-to', 'to'] as const

function referencesOf(whole: MimePart, parts: readonly MimePart[]): string[] {
  const returned = parts.find(
    ({ type }) => type === 'message/rfc822' || type === 'text/rfc822-headers',
  )
  const original = returned === undefined ? undefined : fieldsOf(headText(returned.body))
  const candidates = [
    ...envelopeFields.map((name) => whole.headers.get(name)),
    original?.get('message-id'),
    original?.get('return-path'),
  ]
  return candidates.flatMap((text) => withoutBrackets(text ?? null) ?? [])
}

function leavesOf(part: MimePart, depth: number): MimePart[] {
  const boundary = part.parameters.get('boundary')
  if (!part.type.startsWith('multipart/') || boundary === undefined || depth === depthMax) {
    return [part]
  }
  const pieces = piecesOf(part.body, boundary)
  return pieces.flatMap((piece) => leavesOf(partOf(piece), depth + 1)).slice(0, partsMax)
}

/**
 * Splits at lines `--boundary`. Text before the first and after the last is ignored (RFC 2046
 * §5.1.1).
 */
function piecesOf(body: string, boundary: string): string[] {
  const delimiter = `--${boundary}`
  const pieces: string[] = []
  let piece: string[] | undefined
  for (const line of body.split('\n')) {
    const isDelimiter = line.startsWith(delimiter)
    if (!isDelimiter) {
      piece?.push(line)
      continue
    }
    if (piece !== undefined) pieces.push(piece.join('\n'))
    piece = []
    if (line.startsWith(`${delimiter}--`) || pieces.length === partsMax) return pieces
  }
  if (piece !== undefined) pieces.push(piece.join('\n'))
  return pieces
}

function partOf(text: string): MimePart {
  const head = headText(text)
  const headers = fieldsOf(head)
  const body = text.slice(head.length).replace(/^\n{1,2}/, '')
  const [type = '', ...rest] = (headers.get('content-type') ?? 'text/plain').split(';')
  const parameters = new Map<string, string>()
  for (const parameter of rest) {
    const equals = parameter.indexOf('=')
    if (equals === -1) continue
    const value = parameter.slice(equals + 1).trim()
    parameters.set(parameter.slice(0, equals).trim().toLowerCase(), value.replace(/^"|"$/g, ''))
  }
  return { headers, type: type.trim().toLowerCase(), parameters, body }
}

function headText(text: string): string {
  // A part may begin with the empty line that ends its missing header.
  if (text.startsWith('\n')) return ''
  const end = text.indexOf('\n\n')
  return text.slice(0, Math.min(end === -1 ? text.length : end, headerCharactersMax))
}

/** The first of each name; folded lines belong to the one before (RFC 5322 §2.2.3). */
function fieldsOf(head: string): Headers {
  const fields = new Map<string, string>()
  const unfolded = head.slice(0, headerCharactersMax).replace(/\n[ \t]+/g, ' ')
  for (const line of unfolded.split('\n')) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}
