/** The captured emails for people: a list, and one email as mail clients show it. No scripts. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Email, EmailDetail } from '#schemas/rest/email/email.ts'
import { previewPolicy, withLinksOutside } from '../campaigns/checks/preview-look.ts'
import { html, htmlDocument, type Markup, sourceOfStyle } from '../http/html-document.ts'

/** True for browsers that open a page; programs get JSON. */
export function wantsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '')
}

export function replyWithList(
  reply: FastifyReply,
  { items, to }: { readonly items: readonly Email[]; readonly to: string | undefined },
): FastifyReply {
  const rows = items.map(
    ({ id, from, to: recipients, subject, received_at }) => html`<tr>
<td><a href="/dev/mailbox/${encodeURIComponent(id)}">${subject === '' ? '(no subject)' : subject}</a></td>
<td>${recipients.join(', ')}</td><td class="soft">${from}</td><td class="soft time">${timeOf(received_at)}</td></tr>`,
  )
  const nothing =
    to === undefined
      ? html`<p class="soft">No emails yet. The built-in SMTP server stores every email here.</p>`
      : html`<p class="soft">No email to ${to}. <a href="/dev/mailbox">Show all</a></p>`
  return send(reply, {
    title: 'Mailbox',
    body: html`<header><h1>Mailbox</h1>
<form method="get" action="/dev/mailbox"><label>To <input name="to" type="search" value="${to ?? ''}" placeholder="ada@example.com"></label> <button>Show</button></form></header>
${
  rows.length === 0
    ? nothing
    : html`<table><thead><tr><th>Subject</th><th>To</th><th>From</th><th>Received</th></tr></thead><tbody>
${rows}</tbody></table>`
}`,
  })
}

const parts = ['email', 'text', 'headers', 'source'] as const
type Part = (typeof parts)[number]

export function replyWithEmail(
  reply: FastifyReply,
  { email, asked }: { readonly email: EmailDetail; readonly asked: string | undefined },
): FastifyReply {
  const offered = parts.filter(
    (part) => (part !== 'email' || email.html !== null) && (part !== 'text' || email.text !== null),
  )
  const shown = offered.find((part) => part === asked) ?? offered[0]!
  const path = `/dev/mailbox/${encodeURIComponent(email.id)}`
  const tabs = offered.map(
    (part) =>
      html`<a href="${path}?part=${part}"${part === shown ? current : none}>${names[part]}</a>`,
  )
  return send(reply, {
    title: email.subject,
    body: html`<p><a href="/dev/mailbox">All emails</a></p>
<h1>${email.subject === '' ? '(no subject)' : email.subject}</h1>
<dl><dt>From</dt><dd>${email.headers['from'] ?? email.from}</dd>
<dt>To</dt><dd>${email.to.join(', ')}</dd>
<dt>Received</dt><dd>${timeOf(email.received_at)}</dd></dl>
<nav aria-label="Parts of the email">${tabs}</nav>
${contentOf(email, shown, path)}`,
  })
}

const current: Markup = html` aria-current="page"`
const none: Markup = html``
const names: Readonly<Record<Part, string>> = {
  email: 'Email',
  text: 'Text',
  headers: 'Headers',
  source: 'Source',
}

function contentOf(email: EmailDetail, part: Part, path: string): Markup {
  switch (part) {
    case 'email':
      return html`<iframe title="The email" src="${path}/html" sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>`
    case 'text':
      return html`<pre>${email.text ?? ''}</pre>`
    case 'headers':
      return html`<dl>${Object.entries(email.headers).map(
        ([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`,
      )}</dl>`
    case 'source':
      return html`<pre>${email.raw}</pre>`
  }
}

/** The HTML part, for the frame of the page. */
export function replyWithHtml(reply: FastifyReply, { html: document }: EmailDetail): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', previewPolicy('load'))
    .header('x-frame-options', 'SAMEORIGIN')
    .serializer((body: unknown) => String(body))
    .send(withLinksOutside(document ?? ''))
}

/** `2026-11-21 01:02:03 UTC`. */
function timeOf(receivedAt: string): string {
  return `${receivedAt.slice(0, 10)} ${receivedAt.slice(11, 19)} UTC`
}

const style = `
:root { color-scheme: light dark; --page: #fcfcfd; --ink: #16181d; --soft: #565d6d; --line: #e3e6ec; --act: #0b6f68 }
@media (prefers-color-scheme: dark) { :root { --page: #101216; --ink: #eceef3; --soft: #a9b0bf; --line: #2c313b; --act: #5fd0c5 } }
* { box-sizing: border-box }
body { max-width: 72rem; margin: 0 auto; padding: 24px 16px; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; justify-content: space-between }
h1 { margin: 0 0 12px; font-size: 1.3rem; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse }
th { text-align: start; font-size: .85rem; color: var(--soft) }
th, td { padding: 10px 12px 10px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
.soft, dt { color: var(--soft) }
.time { white-space: nowrap }
a { color: var(--act) }
dl { display: grid; grid-template-columns: minmax(90px, max-content) 1fr; gap: 4px 16px; margin: 0 0 16px }
dd { margin: 0; overflow-wrap: anywhere }
nav { display: flex; gap: 16px; margin-bottom: 12px; border-bottom: 1px solid var(--line) }
nav a { padding: 6px 0; color: var(--soft); text-decoration: none; font-weight: 600 }
nav a[aria-current] { border-bottom: 2px solid var(--act); color: var(--ink) }
iframe { width: 100%; height: 75vh; border: 1px solid var(--line); border-radius: 8px; background: #fff }
pre { padding: 12px; border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere }
input, button { padding: 6px 10px; border: 1px solid var(--line); border-radius: 6px; background: none; color: inherit; font: inherit }
@media (width < 720px) { thead { display: none } tr { display: block; padding: 8px 0; border-bottom: 1px solid var(--line) } td { display: block; padding: 0; border: 0 } }
`
const styleSource = sourceOfStyle(style)

function send(
  reply: FastifyReply,
  { title, body }: { readonly title: string; readonly body: Markup },
): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src ${styleSource}; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    .serializer((page: unknown) => String(page))
    .send(htmlDocument({ title, body, style }))
}
