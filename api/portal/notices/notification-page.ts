/**
 * `/n/{token}`: the link below every letter of a portal. GET shows two buttons and changes nothing, for scanners open every link.
 * POST stops the mails; a mailbox provider's one-click (RFC 8058) is the same. "This was not me" also takes the address away from
 * wherever somebody typed it.
 */
import rateLimit from '@fastify/rate-limit'
import { CodedError } from '#schemas/error-codes.ts'
import {
  type NotificationLink,
  notificationLinkPurpose,
  readNotificationToken,
} from '#schemas/portal-notification-token.ts'
import type { ApiContext } from '../../context.ts'
import { clientAddress } from '../../http/client-address.ts'
import type { ApiInstance } from '../../http/route.ts'
import { html, replyWithPage, replyWithUnknownLink } from '../../preferences/contact-page.ts'
import { formFields, takeForms } from '../../preferences/form-body.ts'
import { findNotificationMailbox, forgetTypedAddress, optOut } from './notification-store.ts'

/** Generous: a mailbox provider posts for all its users from few addresses. */
const requestsPerMinuteMax = 6_000
const addressesKeptMax = 10_000

export async function registerNotificationPage(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinuteMax,
    timeWindow: 60_000,
    cache: addressesKeptMax,
    keyGenerator: clientAddress,
    errorResponseBuilder: () => new CodedError('rate_limited'),
  })
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
        title: 'Mails from this portal',
        body: html`<h1>Mails from ${mailbox.portalName}</h1>
<p>You get these mails because your address was given on the ideas portal of ${mailbox.portalName}.</p>
<form method="post"><button class="act" name="action" value="stop">Stop these mails</button></form>
<form method="post"><button name="action" value="not_me">This was not me</button></form>
<p class="soft">If somebody else gave your address, it is removed from the portal as well.</p>`,
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
      const { projectId, key } = mailbox
      const reason = action === 'not_me' ? 'not_me' : 'stop'
      await ctx.pg.transaction(async (pg) => {
        await optOut(pg, { projectId, key, reason, now: new Date(ctx.clock.nowMs()) })
        if (reason === 'not_me') await forgetTypedAddress(pg, { projectId, key })
      })
      // A form of ours names its action; whatever else is posted here is a mailbox provider's click.
      if (action === null) return reply.type('text/plain; charset=utf-8').send('Stopped.\n')
      return replyWithPage(reply, {
        title: 'No more mails',
        body: html`<h1>No more mails</h1>
<p>${mailbox.portalName} sends you nothing about its ideas portal any more.</p>`,
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
