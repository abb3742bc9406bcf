import { type EmailRef, formatBounceSender } from '#schemas/mail/bounce-ref.ts'
import type { SenderDomain } from './sender-domains.ts'

/** The envelope sender, to which bounces go: one for each letter (VERP), where the domain has a place for them. */
export function senderOf(sender: SenderDomain, fromAddress: string, ref: EmailRef): string {
  return sender.kind === 'signed'
    ? `${formatBounceSender(ref)}@${sender.bounceDomain}`
    : fromAddress
}
