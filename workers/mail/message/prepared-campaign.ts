/**
 * A campaign, prepared for its contacts: everything that all its emails have in common is encoded
 * once. Adds the fields of mailing lists (RFC 2369, 2919, 8058).
 */
import type { Clock } from '#platform/clock.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import { type Contact, fillSubject } from '#schemas/mail/compiled-email.ts'
import { type ContactTokenKind, formatContactToken } from '#schemas/mail/contact-token.ts'
import type { FrozenCampaign } from '#schemas/mail/frozen-campaign.ts'
import { domainOf } from '../domain-holds.ts'
import type { SenderDomain, SenderDomains } from '../sender-domains.ts'
import { senderOf } from '../sender-of.ts'
import { type ComposedEmail, HoldEmail } from '../smtp/smtp-pool.ts'
import { dateText, ownLine } from './compose-message.ts'
import { type DkimKey, dkimHeader } from './dkim.ts'
import { asAddress, encodeMailbox, encodePhrase, encodeText, headerLine } from './encode-header.ts'
import { EncodedParts } from './encoded-parts.ts'
import type { MessageBuffers } from './message-buffers.ts'
import { QuotedPrintableWriter } from './quoted-printable.ts'

export interface CampaignComposerOptions {
  readonly domains: Pick<SenderDomains, 'of'>
  readonly clock: Clock
  readonly box: SecretBox
  /** Public URL of the pages that links in emails lead to. */
  readonly baseUrl: string
  readonly buffers: MessageBuffers
}

/** The campaign that is sent. */
export interface CampaignToPrepare {
  readonly id: string
  readonly organizationId: string
  readonly newsletterId: string
  readonly frozen: FrozenCampaign
}

export interface Recipient {
  readonly contactId: string
  readonly email: string
  readonly name: string | null
  readonly attribs: Readonly<Record<string, unknown>>
}

/** More than a signature of the longest RSA key takes (16,384 bits), with its field names. */
const signatureBytesMax = 4_096
const finalDot = '.\r\n'

export class PreparedCampaign {
  readonly #options: CampaignComposerOptions
  readonly #campaign: CampaignToPrepare
  readonly #domain: string
  readonly #text: EncodedParts
  readonly #html: EncodedParts
  /** Undefined: it has values of contacts. */
  readonly #subject: string | undefined
  readonly #fromField: string
  readonly #replyToField: string
  /** From List-Unsubscribe-Post to the end of the header. */
  readonly #lastFields: string
  /** What is before the text part, between the parts, and after them. */
  readonly #body: readonly [start: string, between: string, end: string]
  #date = { second: 0, field: '' }

  constructor(campaign: CampaignToPrepare, options: CampaignComposerOptions) {
    const { frozen } = campaign
    this.#options = options
    this.#campaign = campaign
    this.#domain = domainOf(frozen.fromAddress)
    this.#text = new EncodedParts(frozen.email.text)
    this.#html = new EncodedParts(frozen.email.html)
    const hasValues = frozen.email.subject.some((part) => typeof part !== 'string')
    this.#subject = hasValues ? undefined : subjectField(frozen, {})
    this.#fromField = headerLine(
      'From',
      encodeMailbox({ address: frozen.fromAddress, name: frozen.fromName }),
    )
    this.#replyToField = frozen.replyTo ? headerLine('Reply-To', asAddress(frozen.replyTo)) : ''
    const { contentType, body } = structureOf(campaign.id, !this.#html.isEmpty)
    this.#body = body
    this.#lastFields = [
      ...listFields(campaign, this.#domain),
      mimeVersion,
      contentType,
      '\r\n',
    ].join('')
  }

  async compose(recipient: Recipient): Promise<ComposedEmail> {
    const { domains, buffers } = this.#options
    const { organizationId, frozen } = this.#campaign
    const sender = await domains.of(organizationId, this.#domain)
    if (sender.kind === 'broken') throw new HoldEmail(sender.why)
    const ref = formatEmailRef({
      kind: 'delivery',
      campaignId: this.#campaign.id,
      contactId: recipient.contactId,
    })
    const contact = this.#contactOf(recipient)
    const head = this.#head(recipient, contact, ref)
    const textValues = this.#text.fill(contact)
    const htmlValues = this.#html.fill(contact)
    const bodyBytesMax =
      this.#text.bytesMax(textValues) + this.#html.bytesMax(htmlValues) + structureBytesMax
    const signatureRoom = sender.kind === 'signed' ? signatureBytesMax : 0
    const bodyAt = signatureRoom + head.length
    const buffer = buffers.take(bodyAt + bodyBytesMax)
    const bodyEnd = this.#writeBody(buffer, bodyAt, { textValues, htmlValues })
    const signature = await signatureOf(sender, head, buffer.subarray(bodyAt, bodyEnd))
    const start = bodyAt - head.length - signature.length
    if (start < 0) throw new Error('the signature is too long')
    buffer.write(signature + head, start, 'latin1')
    const end = bodyEnd + buffer.write(finalDot, bodyEnd, 'latin1')
    return {
      envelope: { from: senderOf(sender, frozen.fromAddress, ref), to: recipient.email },
      message: buffer.subarray(start, end),
      isEnded: true,
      release: () => buffers.give(buffer),
    }
  }

  #head(recipient: Recipient, contact: Contact, ref: string): string {
    const { id: campaignId, frozen } = this.#campaign
    const to = headerLine('To', encodeMailbox({ address: recipient.email, name: recipient.name }))
    const oneClick = this.#link('u', 'one_click', { contactId: recipient.contactId, campaignId })
    return (
      this.#fromField +
      to +
      this.#replyToField +
      (this.#subject ?? subjectField(frozen, contact)) +
      this.#dateField() +
      headerLine('Message-ID', `<${ref}@${this.#domain}>`) +
      ownLine(['List-Unsubscribe', `<${oneClick}>`]) +
      this.#lastFields
    )
  }

  #writeBody(
    buffer: Buffer,
    from: number,
    { textValues, htmlValues }: { textValues: readonly string[]; htmlValues: readonly string[] },
  ): number {
    const [start, between, end] = this.#body
    const textAt = from + buffer.write(start, from, 'latin1')
    const text = new QuotedPrintableWriter(buffer, textAt)
    this.#text.write(text, textValues)
    if (this.#html.isEmpty) return text.length + buffer.write(end, text.length, 'latin1')
    const html = new QuotedPrintableWriter(
      buffer,
      text.length + buffer.write(between, text.length, 'latin1'),
    )
    this.#html.write(html, htmlValues)
    return html.length + buffer.write(end, html.length, 'latin1')
  }

  /** Links are computed when a slot asks for them: most emails have two of five. */
  #contactOf({ contactId, name, attribs }: Recipient): Contact {
    const { frozen, id: campaignId } = this.#campaign
    const ids = { contactId, campaignId }
    const link = (folder: string, kind: ContactTokenKind) => this.#link(folder, kind, ids)
    return {
      name,
      attribs,
      links: {
        get unsubscribe() {
          return link('u', 'unsubscribe')
        },
        get preferences() {
          return link('preferences', 'preferences')
        },
        // Without tracking the email has no slot for these.
        get openPixel() {
          return frozen.trackOpens ? `${link('o', 'open')}.gif` : ''
        },
        get clickBase() {
          return frozen.trackClicks ? link('c', 'click') : ''
        },
      },
    }
  }

  #link(
    folder: string,
    kind: ContactTokenKind,
    ids: { contactId: string; campaignId: string },
  ): string {
    const { box, baseUrl } = this.#options
    const token = formatContactToken(kind, ids, (purpose, message) => box.mac(purpose, message))
    return `${baseUrl}/${folder}/${token}`
  }

  #dateField(): string {
    const second = Math.floor(this.#options.clock.nowMs() / 1000)
    if (second !== this.#date.second) {
      this.#date = { second, field: headerLine('Date', dateText(new Date(second * 1000))) }
    }
    return this.#date.field
  }
}

const mimeVersion = headerLine('MIME-Version', '1.0')
const encoding = 'Content-Transfer-Encoding: quoted-printable\r\n'
/** More than the boundaries and fields of both parts. */
const structureBytesMax = 1_024

function subjectField({ email }: FrozenCampaign, contact: Contact): string {
  return headerLine('Subject', encodeText(fillSubject(email.subject, contact)))
}

function listFields(campaign: CampaignToPrepare, domain: string): string[] {
  const { id, organizationId, newsletterId, frozen } = campaign
  const list = `${frozen.newsletterSlug}.${organizationId}.${domain}`
  return [
    ownLine(['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']),
    ownLine(['List-Id', `${encodePhrase(frozen.newsletterName)} <${list}>`]),
    ownLine(['Feedback-ID', `${id}:${newsletterId}:${organizationId}:sluice`]),
  ]
}

function structureOf(campaignId: string, hasHtml: boolean) {
  if (!hasHtml) {
    const contentType = `Content-Type: text/plain; charset=utf-8\r\n${encoding}`
    return { contentType, body: ['', '', '\r\n'] as const }
  }
  // `=_` does not occur in quoted-printable, so no part can contain the boundary.
  const boundary = `=_${campaignId.replaceAll('-', '')}`
  const part = (type: string) =>
    `--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\n${encoding}\r\n`
  return {
    contentType: `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`,
    body: [part('text/plain'), `\r\n${part('text/html')}`, `\r\n--${boundary}--\r\n`] as const,
  }
}

async function signatureOf(sender: SenderDomain, head: string, body: Buffer): Promise<string> {
  if (sender.kind !== 'signed') return ''
  const dkim: DkimKey = sender.dkim
  return dkimHeader(head.slice(0, -2), body, dkim)
}
