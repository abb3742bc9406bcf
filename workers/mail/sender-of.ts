import { formatBounceSender } from '#schemas/mail/bounce-ref.ts'
import type { SenderDomain } from './sender-domains.ts'

/**
 * The envelope sender, which receives bounces: one per email (VERP) if the domain has a bounce
 * domain. `ref` as `formatEmailRef` returns it.
 */
export function senderOf(sender: SenderDomain, fromAddress: string, ref: string): string {
  return sender.kind === 'signed'
    ? `${formatBounceSender(ref)}@${sender.bounceDomain}`
    : fromAddress
}
