/**
 * `/n/{token}`: the link in every email of a portal. GET shows two buttons and changes nothing,
 * because link scanners open it. POST stops the emails; the one-click request of a mailbox provider
 * (RFC 8058) does too. "This was not me" also removes the address from all rows where somebody
 * typed it.
 */
import {
  type NotificationLink,
  notificationLinkPurpose,
  readNotificationToken,
} from '#schemas/portal-notification-token.ts'
import type { ApiContext } from '../../context.ts'
import { html } from '../../http/html-document.ts'
import type { ApiInstance } from '../../http/route.ts'
import { replyWithPage, replyWithUnknownLink } from '../../preferences/contact-page.ts'
import { formFields, takeForms } from '../../preferences/form-body.ts'
import { limitLinkRequests } from '../../preferences/limit-link-requests.ts'
import { findNotificationMailbox } from './notification-store.ts'
import { stopEmails } from './stop-emails.ts'

export async function registerNotificationPage(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await limitLinkRequests(app)
  takeForms(app)

  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/n/:token',
    config: { linkKinds: ['portal_notice'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const mailbox = await mailboxOf(ctx, request.params.token)
      if (mailbox === undefined) return replyWithUnknownLink(reply)
      return replyWithPage(reply, {
        title: 'Emails from this portal',
        body: html`<h1>Emails from ${mailbox.portalName}</h1>
<p>You get these emails because your address was entered on the ideas portal of ${mailbox.portalName}.</p>
<form method="post"><button class="act" name="action" value="stop">Stop these emails</button></form>
<form method="post"><button name="action" value="not_me">This was not me</button></form>
<p class="soft">"This was not me" also removes your address from the portal.</p>`,
      })
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/n/:token',
    config: { linkKinds: ['portal_notice'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const mailbox = await mailboxOf(ctx, request.params.token)
      if (mailbox === undefined) return replyWithUnknownLink(reply)
      const action = (await formFields(request)).get('action')
      await stopEmails(ctx, { ...mailbox, reason: action === 'not_me' ? 'not_me' : 'stop' })
      // Our own form has an action; a request without one is the one-click of a mailbox provider.
      if (action === null) return reply.type('text/plain; charset=utf-8').send('Stopped.\n')
      return replyWithPage(reply, {
        title: 'No more emails',
        body: html`<h1>No more emails</h1>
<p>${mailbox.portalName} will not send you emails about its ideas portal any more.</p>`,
      })
    },
  })
}

async function mailboxOf(ctx: ApiContext, token: string) {
  const link: NotificationLink | undefined = readNotificationToken(token, (message, mac) =>
    ctx.box.isMac(notificationLinkPurpose, message, mac),
  )
  return link && findNotificationMailbox(ctx.pg, link)
}
