/**
 * `/preferences/{token}`: the name of a subscriber and the newsletters of the organization that
 * they get. An export of their data or its erasure is requested here and confirmed by an emailed
 * link.
 */
import type { ReadContactToken } from '#schemas/mail/contact-token.ts'
import { ContactName } from '#schemas/rest/email/contact.ts'
import { contactTokenOf, type LinkKind } from '../auth/link-kinds.ts'
import type { ApiContext } from '../context.ts'
import { html } from '../http/html-document.ts'
import type { ApiInstance } from '../http/route.ts'
import { findTrackedCampaign } from '../tracking/tracking-store.ts'
import { type ContactPage, replyWithPage, replyWithUnknownLink } from './contact-page.ts'
import { findRecipient, type Recipient } from './find-recipient.ts'
import { formFields } from './form-body.ts'
import { mailedPage, mailLink } from './mail-link.ts'
import { preferencesPage } from './preferences-form.ts'
import { savePreferences, unsubscribeFromAll } from './save-preferences.ts'
import { visitorOf } from './visitor.ts'
import type { MailedPurpose } from './words/mail-link-words.ts'
import { type PageLanguage, pageLanguage } from './words/page-words.ts'
import type { PageWords } from './words/page-words-en.ts'

const linkKinds: readonly LinkKind[] = ['preferences', 'legacy']

const savedWords = { none: 'saved', sent: 'savedAndSent', too_soon: 'savedAndRecent' } as const

export function registerPreferencesPage(app: ApiInstance, ctx: ApiContext): void {
  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/preferences/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = contactTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      const recipient = await findRecipient(ctx, link.ids.contactId)
      if (await mayBeTracked(ctx, link)) {
        return replyWithPage(reply, askForLinkPage(recipient?.text ?? pageLanguage(undefined)))
      }
      return replyWithPage(
        reply,
        recipient === undefined ? nothingPage : preferencesPage(recipient),
      )
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/preferences/:token',
    config: { linkKinds },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = contactTokenOf(request, request.params.token, ctx)
      if (link === undefined) return replyWithUnknownLink(reply)
      const { contactId } = link.ids
      const recipient = await findRecipient(ctx, contactId)
      const mail = async (purpose: MailedPurpose) => {
        const now = new Date(ctx.clock.nowMs())
        const mailed = await mailLink(ctx, { contactId, purpose, now })
        return replyWithPage(reply, mailedPage(mailed, recipient?.text ?? pageLanguage(undefined)))
      }
      if (await mayBeTracked(ctx, link)) return mail('preferences')
      const fields = await formFields(request)
      if (recipient === undefined) return replyWithPage(reply, nothingPage)
      switch (fields.get('action')) {
        case 'export':
          return mail('export')
        case 'erase':
          return mail('erase')
        case 'unsubscribe_all':
          await unsubscribeFromAll(ctx, visitorOf(request), recipient)
          return replyWithSaved(reply, ctx, recipient, 'leftAll')
        case 'save': {
          const name = ContactName.safeParse(fields.get('name') ?? '')
          if (!name.success) {
            const { nameInvalid } = recipient.text.words
            return replyWithPage(reply, preferencesPage(recipient, nameInvalid))
          }
          const chosen = new Set(fields.getAll('newsletter'))
          const saved = { recipient, name: name.data ?? null, chosen }
          const asked = await savePreferences(ctx, visitorOf(request), saved)
          return replyWithSaved(reply, ctx, recipient, savedWords[asked])
        }
        default:
          return replyWithPage(reply, preferencesPage(recipient))
      }
    },
  })
}

/**
 * Formerly all links of an email had the same token. When the campaign tracked opens or clicks, or
 * is deleted, such a token may come from a tracked link, which others can see. Then a new link is
 * sent to the mailbox.
 */
async function mayBeTracked(ctx: ApiContext, { kind, ids }: ReadContactToken): Promise<boolean> {
  if (kind !== 'legacy' || ids.campaignId === null) return false
  const campaign = await findTrackedCampaign(ctx.pg, ids.campaignId)
  return campaign === undefined || campaign.tracksOpens || campaign.tracksClicks
}

async function replyWithSaved(
  reply: Parameters<typeof replyWithPage>[0],
  ctx: ApiContext,
  { contact }: Recipient,
  said: keyof PageWords,
) {
  const recipient = await findRecipient(ctx, contact.id)
  if (recipient === undefined) return replyWithPage(reply, nothingPage)
  return replyWithPage(reply, preferencesPage(recipient, recipient.text.words[said]))
}

/** In English, because no newsletter is left that has a language. */
const { nothingTitle, nothingText } = pageLanguage(undefined).words
const nothingPage: ContactPage = {
  title: nothingTitle,
  body: html`<h1>${nothingTitle}</h1><p>${nothingText}</p>`,
}

function askForLinkPage({ words, ...language }: PageLanguage): ContactPage {
  return {
    ...language,
    title: words.preferencesTitle,
    body: html`<h1>${words.preferencesTitle}</h1>
<p>${words.askLinkText}</p>
<form method="post"><button class="act" name="action" value="preferences">${words.askLinkButton}</button></form>`,
  }
}
