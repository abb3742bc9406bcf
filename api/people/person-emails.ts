/**
 * Emails that Sluice sends to people: invitations, notifications of a new membership, and password
 * links.
 */
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
  /** Null for someone with a password, who was added to another organization. */
  readonly link: PersonLink | null
}

/**
 * Call within the transaction that creates the link. The email is sealed in the ledger. It is
 * skipped only if the mailbox was reported as nonexistent, and then 'undeliverable' is returned.
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
        sentence: `You can now work for ${name}: log in with the password that you have.`,
        act: 'Log in',
        rest: 'If you did not expect this, tell the operator of this installation of Sluice.',
      }
    case 'invite':
      return {
        subject: `You are invited to ${name}`,
        sentence: `Somebody at ${name} invites you to work there with Sluice.`,
        act: 'Accept and choose a password',
        rest: 'The link works once, for seven days. If you did not expect this, ignore it.',
      }
    case 'reset':
      return {
        subject: 'Choose another password',
        sentence: 'Somebody asked for a link to choose another password for your Sluice login.',
        act: 'Choose another password',
        rest: 'The link works once, for one hour. If it was not you, ignore it: nothing changes.',
      }
  }
}
