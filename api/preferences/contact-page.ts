/**
 * The frame of the pages that links in emails open. They work without scripts and load nothing, and
 * are neither cached nor indexed. Their URL is a credential, so no request sends it as a referrer.
 */
import type { FastifyReply } from 'fastify'
import { html, htmlDocument, type Markup, sourceOfStyle } from '../http/html-document.ts'

export interface ContactPage {
  readonly status?: number
  readonly title: string
  readonly body: Markup
  /** Default: English. */
  readonly language?: string
  readonly direction?: 'ltr' | 'rtl'
  /** URL that a form of this page may redirect to. */
  readonly leadsTo?: string | null
}

export function replyWithPage(reply: FastifyReply, page: ContactPage): FastifyReply {
  const origin = webOrigin(page.leadsTo)
  const formAction = origin === undefined ? "'self'" : `'self' ${origin}`
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .headers({
      'Content-Security-Policy': `default-src 'none'; style-src ${styleSource}; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
      'X-Robots-Tag': 'noindex, nofollow',
    })
    .serializer((body: unknown) => String(body))
    .send(htmlDocument({ ...page, style }))
}

/** The reply to every unknown link. It reveals nothing about addresses. */
export function replyWithUnknownLink(reply: FastifyReply): FastifyReply {
  return replyWithPage(reply, {
    status: 404,
    title: 'This link does not work',
    body: html`<h1>This link does not work</h1>
<p>It may have been cut short by a mail program. Try to open it from the email again.</p>`,
  })
}

function webOrigin(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const { protocol, origin } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? origin : undefined
}

const style = `
:root { color-scheme: light dark; --page: #f4f4f2; --card: #fff; --ink: #1d1d1b; --soft: #5f5f5a; --line: #d9d9d4; --act: #1d4ed8; --on-act: #fff }
@media (prefers-color-scheme: dark) { :root { --page: #161615; --card: #232321; --ink: #ececea; --soft: #a8a8a2; --line: #44443f; --act: #8ab4ff; --on-act: #10203f } }
* { box-sizing: border-box }
body { margin: 0; padding: 8vh 16px 32px; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 30rem; margin: 0 auto; padding: 32px; background: var(--card); border-radius: 12px; overflow-wrap: anywhere }
h1 { margin: 0 0 12px; font-size: 1.4rem; line-height: 1.25 }
h2 { margin: 28px 0 8px; font-size: 1rem }
p { margin: 0 0 16px }
form { margin: 0 0 16px }
.soft { color: var(--soft); font-size: .9rem }
button { min-height: 44px; padding: 10px 20px; border: 1px solid var(--line); border-radius: 8px; background: none; color: inherit; font: inherit; font-weight: 600; cursor: pointer }
button.act { border-color: var(--act); background: var(--act); color: var(--on-act) }
button:focus-visible, input:focus-visible, a:focus-visible, textarea:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
a { color: var(--act) }
label { display: flex; gap: 10px; align-items: baseline; padding: 6px 0 }
label.field { display: block }
input[type=text], input[type=password], textarea { width: 100%; margin-top: 4px; padding: 10px; border: 1px solid var(--line); border-radius: 8px; background: none; color: inherit; font: inherit }
hr { margin: 28px 0; border: 0; border-top: 1px solid var(--line) }
`
const styleSource = sourceOfStyle(style)
