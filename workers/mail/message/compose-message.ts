/**
 * Encodes an email as the bytes that SMTP sends: header fields, a text part and an HTML part, both
 * quoted-printable (no line is longer than SMTP allows, none begins with a dot). The message is
 * signed when its domain has a key.
 */
import { type DkimKey, dkimHeader } from './dkim.ts'
import { asAddress, encodeMailbox, encodeText, headerLine, type Mailbox } from './encode-header.ts'
import { encodeQuotedPrintable } from './quoted-printable.ts'

export interface Email {
  readonly messageId: string
  readonly date: Date
  readonly from: Mailbox
  readonly replyTo?: string | null | undefined
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html?: string | null | undefined
  /** Names and values that we set; text from authors and contacts never comes here. */
  readonly headers: Readonly<Record<string, string>>
}

const fieldName = /^[A-Za-z][A-Za-z0-9-]{0,76}$/
/** Fields that are set below, and fields that would change who gets the message. */
const reservedNames: ReadonlySet<string> = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'sender',
  'return-path',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'dkim-signature',
])

export async function composeMessage(email: Email, dkim?: DkimKey): Promise<Buffer> {
  const { fields, body } = bodyOf(email)
  const headers = [
    headerLine('From', encodeMailbox(email.from)),
    headerLine('To', encodeMailbox(email.to)),
    email.replyTo ? headerLine('Reply-To', asAddress(email.replyTo)) : '',
    headerLine('Subject', encodeText(email.subject)),
    headerLine('Date', dateText(email.date)),
    headerLine('Message-ID', email.messageId),
    ...Object.entries(email.headers).map(ownLine),
    headerLine('MIME-Version', '1.0'),
    fields,
  ].join('')
  const signature = dkim === undefined ? '' : await dkimHeader(headers, body, dkim)
  return Buffer.concat([Buffer.from(`${signature}${headers}\r\n`, 'latin1'), body])
}

function bodyOf({ text, html, messageId }: Email): { fields: string; body: Buffer } {
  const encoding = 'Content-Transfer-Encoding: quoted-printable\r\n'
  if (!html) {
    const fields = `Content-Type: text/plain; charset=utf-8\r\n${encoding}`
    return { fields, body: Buffer.concat([encodeQuotedPrintable(text), lineEnd]) }
  }
  // `=_` does not occur in quoted-printable, so no part can contain the boundary.
  const boundary = `=_${messageId.replace(/[^A-Za-z0-9]/g, '').slice(0, 48)}`
  const part = (type: string) =>
    `\r\n--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\n${encoding}\r\n`
  const body = Buffer.concat([
    Buffer.from(part('text/plain').slice(2)),
    encodeQuotedPrintable(text),
    Buffer.from(part('text/html')),
    encodeQuotedPrintable(html),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { fields: `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`, body }
}

const lineEnd = Buffer.from('\r\n')

export function ownLine([name, value]: [string, string]): string {
  if (!fieldName.test(name) || reservedNames.has(name.toLowerCase())) {
    throw new Error(`a message cannot have a field ${JSON.stringify(name)} of its own`)
  }
  return headerLine(name, encodeText(value))
}

/** The date as RFC 5322 §3.3 writes it, in UTC. */
export function dateText(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}
