/** The first letter of a newsletter, to somebody who is subscribed from now on, when its owner has written one. */
import { fillLetter } from '#schemas/mail/compiled-letter.ts'
import { formatReaderToken, type ReaderTokenKind } from '#schemas/mail/reader-token.ts'
import type { ApiContext } from '../../context.ts'
import { findContact } from '../../io/contact-store.ts'
import type { Database } from '../../io/database.ts'
import type { StoredNewsletter } from '../../io/newsletter-store.ts'
import { addSend } from '../../io/send-store.ts'
import { composeLetter } from '../compose/compose-letter.ts'

export async function sendWelcome(
  pg: Database,
  ctx: Pick<ApiContext, 'apiUrl' | 'box' | 'log'>,
  welcomed: {
    readonly contactId: string
    readonly newsletter: StoredNewsletter
    readonly address: { readonly id: string; readonly email: string }
  },
): Promise<void> {
  const { contactId, newsletter, address } = welcomed
  const { welcomeEnabled, welcomeSubject: subject, welcomeMarkdown: markdown } = newsletter
  if (!welcomeEnabled || !subject || !markdown) return
  const contact = await findContact(pg, contactId)
  if (contact === undefined) return

  const { letter } = composeLetter(
    { subject, markdown },
    {
      kind: 'campaign',
      newsletter,
      archiveUrl: undefined,
      tracking: { opens: false, clicks: false },
    },
  )
  const token = (kind: ReaderTokenKind) =>
    formatReaderToken(kind, { contactId, campaignId: null }, (purpose, message) =>
      ctx.box.mac(purpose, message),
    )
  const filled = fillLetter(letter, {
    name: contact.name,
    attribs: contact.attribs,
    links: {
      unsubscribe: `${ctx.apiUrl}/u/${token('unsubscribe')}`,
      preferences: `${ctx.apiUrl}/preferences/${token('preferences')}`,
      // A welcome is not tracked, so the letter has no slot for these.
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
