/**
 * Sends pages for people who are logged in, and their login form. They work without scripts and
 * load nothing. The dashboard replaces them at the same paths.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { StoredLogin } from '../logins/login-store.ts'
import { type Html, html } from '../portal/page/html.ts'
import { pageStyle } from './page-style.ts'

export interface TeamPage {
  readonly status?: number
  readonly title: string
  readonly main: Html
  /** Shown in the head with a button to log out. */
  readonly login?: StoredLogin | undefined
}

const styleHash = createHash('sha256').update(pageStyle).digest('base64')
const policy = [
  `default-src 'none'`,
  `style-src 'sha256-${styleHash}'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

export function sendPage(reply: FastifyReply, page: TeamPage): FastifyReply {
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .headers({
      'Content-Security-Policy': policy,
      'X-Robots-Tag': 'noindex, nofollow',
      // With no-referrer, forms would have the Origin `null`, as forms of other sites can.
      'Referrer-Policy': 'same-origin',
    })
    .serializer((body: unknown) => String(body))
    .send(documentOf(page))
}

/** Hidden field of every form of a page behind a login. */
export function csrfField({ csrfToken }: StoredLogin): Html {
  return html`<input type="hidden" name="csrf_token" value="${csrfToken}">`
}

function documentOf({ title, main, login }: TeamPage): string {
  const markup = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${{ markup: pageStyle }}</style>
</head>
<body>
<header class="top"><span class="brand">Sluice</span>${login === undefined ? null : accountOf(login)}</header>
<main>
${main}
</main>
</body>
</html>`.markup
  return `<!doctype html>\n${markup}\n`
}

function accountOf(login: StoredLogin): Html {
  return html`<form method="post">${csrfField(login)}<span class="soft who"><bdi>${login.email}</bdi></span> <button class="link" name="action" value="logout">Log out</button></form>`
}
