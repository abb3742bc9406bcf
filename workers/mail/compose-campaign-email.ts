/**
 * Fills the frozen email of a campaign for one contact and adds the fields of mailing lists
 * (RFC 2369, 2919, 8058).
 */
import type { Clock } from '#platform/clock.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { type EmailRef, formatEmailRef } from '#schemas/mail/bounce-ref.ts'
import { fillEmail } from '#schemas/mail/compiled-email.ts'
import { type ContactTokenKind, formatContactToken } from '#schemas/mail/contact-token.ts'
import type { CampaignRun } from './campaign-runs.ts'
import { domainOf } from './domain-holds.ts'
import type { ClaimedDelivery } from './ledger/mail-delivery-store.ts'
import { composeMessage } from './message/compose-message.ts'
import { encodePhrase } from './message/encode-header.ts'
import type { SenderDomains } from './sender-domains.ts'
import { senderOf } from './sender-of.ts'
import { HoldEmail } from './smtp/smtp-pool.ts'

export interface ContactLinkParts {
  readonly box: SecretBox
  /** Public URL of the pages that links in emails lead to. */
  readonly baseUrl: string
}

export async function composeCampaignEmail(
  delivery: ClaimedDelivery & { readonly run: CampaignRun },
  parts: { domains: SenderDomains; clock: Clock; links: ContactLinkParts },
) {
  const { run, campaignId, contactId } = delivery
  const { frozen } = run
  const domain = domainOf(frozen.fromAddress)
  const sender = await parts.domains.of(run.organizationId, domain)
  if (sender.kind === 'broken') throw new HoldEmail(sender.why)
  const ref: EmailRef = { kind: 'delivery', campaignId, contactId }
  const { box, baseUrl } = parts.links
  const token = (kind: ContactTokenKind) =>
    formatContactToken(kind, { contactId, campaignId }, (purpose, message) =>
      box.mac(purpose, message),
    )
  const { subject, html, text } = fillEmail(frozen.email, {
    name: delivery.name,
    attribs: delivery.attribs,
    links: {
      unsubscribe: `${baseUrl}/u/${token('unsubscribe')}`,
      preferences: `${baseUrl}/preferences/${token('preferences')}`,
      // Without tracking the email has no slot for these.
      openPixel: frozen.trackOpens ? `${baseUrl}/o/${token('open')}.gif` : '',
      clickBase: frozen.trackClicks ? `${baseUrl}/c/${token('click')}` : '',
    },
  })
  const message = await composeMessage(
    {
      messageId: `<${formatEmailRef(ref)}@${domain}>`,
      date: new Date(parts.clock.nowMs()),
      from: { address: frozen.fromAddress, name: frozen.fromName },
      replyTo: frozen.replyTo,
      to: { address: delivery.email, name: delivery.name },
      subject,
      html,
      text,
      headers: {
        'List-Unsubscribe': `<${baseUrl}/u/${token('one_click')}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'List-Id': `${encodePhrase(frozen.newsletterName)} <${frozen.newsletterSlug}.${run.organizationId}.${domain}>`,
        'Feedback-ID': `${campaignId}:${run.newsletterId}:${run.organizationId}:sluice`,
      },
    },
    sender.kind === 'signed' ? sender.dkim : undefined,
  )
  return {
    envelope: { from: senderOf(sender, frozen.fromAddress, ref), to: delivery.email },
    message,
  }
}
