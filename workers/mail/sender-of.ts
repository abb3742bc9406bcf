import { type EmailRef, formatBounceSender } from '#schemas/mail/bounce-ref.ts'
import type { SenderDomain } from './sender-domains.ts'

/**
 * The envelope sender, which receives bounces: one per email (VERP) if the domain has a bounce
 * domain.
 */
export function senderOf(sender: SenderDomain, fromAddress: string, ref: EmailRef): string {
  return sender.kind === 'signed'
    ? `${formatBounceSender(ref)}@${sender.bounceDomain}`
    : fromAddress
}
