/** Emails to people: invitations, password links, and that they were added to an organization. */
import { parseEmailAddress } from '#schemas/email-address.ts'
import { headerText } from '#schemas/mail/escape-value.ts'
import { ensureAddress } from '../contacts/address-store.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { findOrganization } from '../organization/organization-store.ts'
import { ownEmailBody } from '../sends/own-email.ts'
import { addSealedSend } from '../sends/send-store.ts'
import type { PersonLink } from './person-link.ts'

interface PersonEmail {
  readonly person: { readonly email: string }
  readonly organizationId: string
  /** Null if the person has a password and was added to another organization. */
  readonly link: PersonLink | null
}

/**
 * Call it in the transaction that creates the link. The email is sealed in the delivery ledger. If
 * the address is invalid or its mailbox bounced hard, no email is sent and 'undeliverable' is
 * returned.
 */
export async function sendPersonEmail(
  pg: Database,
  message: PersonEmail,
  ctx: Pick<ApiContext, 'mailFrom' | 'apiUrl' | 'box'>,
): Promise<'queued' | 'undeliverable'> {
  const parsed = parseEmailAddress(message.person.email)
  if (parsed.kind === 'invalid') return 'undeliverable'
  const { email, key } = parsed
  const { organizationId } = message
  const name = headerText((await findOrganization(pg, organizationId))?.name ?? '')
  const address = await ensureAddress(pg, { organizationId, email, key })
  const { subject, sentence, act, rest } = wordsOf(message.link, name)
  const url = message.link?.url ?? ctx.apiUrl
  await addSealedSend(pg, ctx.box, {
    organizationId,
    addressId: address.id,
    kind: 'system',
    from: { address: ctx.mailFrom.email, name: ctx.mailFrom.name },
    to: { address: email },
    subject,
    ...ownEmailBody({ language: 'en', sentences: [sentence], action: act, url, note: rest }),
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
  return address.suppressionCause === 'hard' ? 'undeliverable' : 'queued'
}

function wordsOf(link: PersonLink | null, name: string) {
  switch (link?.kind) {
    case undefined:
      return {
        subject: `You were added to ${name}`,
        sentence: `You now have access to ${name} on Sluice. Log in with your existing password.`,
        act: 'Log in',
        rest: 'If you did not expect this, contact the operator of this Sluice installation.',
      }
    case 'invite':
      return {
        subject: `You are invited to ${name}`,
        sentence: `You are invited to join ${name} on Sluice.`,
        act: 'Accept the invitation',
        rest: 'The link works once and expires in seven days. If you did not expect this email, ignore it.',
      }
    case 'reset':
      return {
        subject: 'Reset your password',
        sentence: 'A password reset was requested for your Sluice login.',
        act: 'Reset password',
        rest: 'The link works once and expires in one hour. If you did not request it, ignore this email: your password stays the same.',
      }
  }
}
