/**
 * `/alert-stop/{token}`: the links in alert emails. GET shows a button and changes nothing, because
 * scanners open every link of an email. POST stops the emails, from the button of the mailbox
 * provider (RFC 8058) as from ours, without cookie, login or script.
 */
import { alertStopPath, readAlertStopToken } from '#schemas/alert-stop-token.ts'
import { cleanVisibleLine } from '#schemas/visible-text.ts'
import type { ApiContext } from '../../context.ts'
import { html, type Markup } from '../../http/html-document.ts'
import type { ApiInstance } from '../../http/route.ts'
import {
  type ContactPage,
  replyWithPage,
  replyWithUnknownLink,
} from '../../preferences/contact-page.ts'
import { formFields, takeForms } from '../../preferences/form-body.ts'
import { limitLinkRequests } from '../../preferences/limit-link-requests.ts'
import { resumeAlerts, stopAlerts } from './stop-alerts.ts'
import { findStopSubject, type StopSubject } from './stop-store.ts'

export async function registerStopPage(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await limitLinkRequests(app)
  takeForms(app)

  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: alertStopPath(':token'),
    config: { linkKinds: ['alert_stop'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = linkOf(request.params.token)
      if (link === undefined) return replyWithUnknownLink(reply)
      const subject = await findStopSubject(ctx.pg, link)
      if (subject === undefined) return replyWithPage(reply, nothingPage)
      return replyWithPage(reply, subject.isStopped ? stoppedPage(subject) : askPage(subject))
    },
  })

  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: alertStopPath(':token'),
    config: { linkKinds: ['alert_stop'] },
    schema: { hide: true },
    handler: async (request, reply) => {
      const link = linkOf(request.params.token)
      if (link === undefined) return replyWithUnknownLink(reply)
      const action = (await formFields(request)).get('action')
      if (action === 'undo') {
        const subject = await resumeAlerts(ctx, link)
        return replyWithPage(reply, subject === undefined ? nothingPage : resumedPage(subject))
      }
      const subject = await stopAlerts(ctx, link)
      // Our own forms have an action; a request without one is the one-click of a mailbox provider.
      if (action === null) return reply.type('text/plain; charset=utf-8').send('Stopped.\n')
      return replyWithPage(reply, subject === undefined ? nothingPage : stoppedPage(subject))
    },
  })

  function linkOf(token: string) {
    return readAlertStopToken(token, (purpose, message, mac) =>
      ctx.box.isMac(purpose, message, mac),
    )
  }
}

const nothingPage: ContactPage = {
  title: 'You do not get these emails',
  body: html`<h1>You do not get these emails</h1>
<p>The alert rule or the issue was deleted, or you do not belong to its organization any more.</p>`,
}

const nameCharactersMax = 200

/** Titles of issues are texts of programs and their users. */
function nameOf({ name }: StopSubject): Markup {
  const characters = [...cleanVisibleLine(name.slice(0, 4 * nameCharactersMax))]
  const cut =
    characters.length <= nameCharactersMax
      ? characters.join('')
      : `${characters.slice(0, nameCharactersMax - 1).join('')}…`
  return html`<bdi>${cut}</bdi>`
}

/** "of the rule …" or "about the issue …". */
function about(subject: StopSubject): Markup {
  return subject.kind === 'rule'
    ? html`emails of the alert rule <strong>${nameOf(subject)}</strong> of ${subject.projectName}`
    : html`alert emails about the issue <strong>${nameOf(subject)}</strong> of ${subject.projectName}`
}

function askPage(subject: StopSubject): ContactPage {
  const title =
    subject.kind === 'rule' ? 'Stop emails of this rule' : 'Stop emails about this issue'
  return {
    title,
    body: html`<h1>${title}</h1>
<p>This stops ${about(subject)} for you. Other people still get them.</p>
<form method="post"><button class="act" name="action" value="stop">Stop these emails</button></form>`,
  }
}

function stoppedPage(subject: StopSubject): ContactPage {
  return {
    title: 'Emails stopped',
    body: html`<h1>Emails stopped</h1>
<p>You will not get ${about(subject)} any more.</p>
<form method="post"><button name="action" value="undo">Undo</button></form>`,
  }
}

function resumedPage(subject: StopSubject): ContactPage {
  return {
    title: 'You get these emails again',
    body: html`<h1>You get these emails again</h1>
<p>You get ${about(subject)} again.</p>
<form method="post"><button name="action" value="stop">Stop these emails</button></form>`,
  }
}
