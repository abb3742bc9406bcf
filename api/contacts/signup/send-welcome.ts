/** The welcome email of a newsletter, sent to a new subscriber when the newsletter has one. */
import { CodedError } from '#schemas/error-codes.ts'
import { type CompiledEmail, fillEmail } from '#schemas/mail/compiled-email.ts'
import { type ContactTokenKind, formatContactToken } from '#schemas/mail/contact-token.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import type { StoredNewsletter } from '../../newsletters/newsletter-store.ts'
import { addSend } from '../../sends/send-store.ts'
import { findContact } from '../contact-store.ts'

/**
 * Returns undefined when the newsletter has no welcome email, or one that cannot be composed: the
 * signup succeeds without it. Call it before the transaction, because it may wait for a thread.
 */
export async function composeWelcome(
  ctx: Pick<ApiContext, 'composer' | 'log'>,
  newsletter: StoredNewsletter,
): Promise<CompiledEmail | undefined> {
  const { welcomeEnabled, welcomeSubject: subject, welcomeMarkdown: markdown } = newsletter
  if (!welcomeEnabled || !subject || !markdown) return undefined
  const tracking = { opens: false, clicks: false }
  const frame = { kind: 'campaign', newsletter, archiveUrl: undefined, tracking } as const
  try {
    const source = { subject, markdown }
    return (await ctx.composer.email(newsletter.organizationId, source, frame)).email
  } catch (error) {
    if (!(error instanceof CodedError) || error.code === 'busy') throw error
    const { id: newsletterId } = newsletter
    ctx.log.warn(
      { code: 'welcome_not_composed', newsletterId, reason: error.message },
      'The welcome email could not be composed and was not sent.',
    )
    return undefined
  }
}

export async function sendWelcome(
  pg: Database,
  ctx: Pick<ApiContext, 'apiUrl' | 'box'>,
  welcomed: {
    readonly contactId: string
    readonly newsletter: StoredNewsletter
    readonly address: { readonly id: string; readonly email: string }
    /** Result of `composeWelcome`. */
    readonly email: CompiledEmail | undefined
  },
): Promise<void> {
  const { contactId, newsletter, address, email } = welcomed
  if (email === undefined) return
  const contact = await findContact(pg, contactId)
  if (contact === undefined) return

  const token = (kind: ContactTokenKind) =>
    formatContactToken(kind, { contactId, campaignId: null }, (purpose, message) =>
      ctx.box.mac(purpose, message),
    )
  const filled = fillEmail(email, {
    name: contact.name,
    attribs: contact.attribs,
    links: {
      unsubscribe: `${ctx.apiUrl}/u/${token('unsubscribe')}`,
      preferences: `${ctx.apiUrl}/preferences/${token('preferences')}`,
      // Welcome emails are not tracked, so they have no slots for these.
      openPixel: '',
      clickBase: '',
    },
  })
  await addSend(pg, {
    organizationId: newsletter.organizationId,
    addressId: address.id,
    kind: 'welcome',
    newsletterId: newsletter.id,
    from: { address: newsletter.fromAddress, name: newsletter.fromName ?? newsletter.name },
    replyTo: newsletter.replyTo,
    to: { address: address.email, name: contact.name },
    ...filled,
    headers: {
      'List-Unsubscribe': `<${ctx.apiUrl}/u/${token('one_click')}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  })
}
