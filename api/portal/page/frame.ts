/** The frame of every page of a portal: head, header and footer. */
import type { PortalConfig } from '#schemas/rest/portal/portal-config.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import type { Language } from './words/words.ts'

export interface PortalFrame {
  /** Path of this portal's pages, `/portal/{project_key}`. */
  readonly base: string
  /** Path of the public API of this portal. */
  readonly api: string
  readonly language: Language
  /** Title of the portal, or one made of the name of the project. */
  readonly title: string
  readonly config: PortalConfig | undefined
  /** Whether writes need a token and this visitor has none. */
  readonly needsToken: boolean
  /** Whether the request identified the visitor, so that own votes are shown. */
  readonly knowsVisitor: boolean
  readonly assets: {
    readonly css: string
    readonly js: string
    readonly jsParts: readonly string[]
    readonly theme: string
    readonly icon: string
  }
  /** Signed time of the page (form-stamp.ts). */
  readonly stamp: string
  readonly nowMs: number
}

export interface PageOptions {
  readonly title: string
  readonly description?: string
  /** URL of this page for search engines and shared links. */
  readonly canonical: string
  readonly main: Html
  /** Kind of the page: the header omits the link to it. */
  readonly kind?: 'list' | 'suggest'
}

export function framePage(frame: PortalFrame, page: PageOptions): string {
  const { config, language, base, assets } = frame
  const { words } = language
  const theme = config?.theme ?? 'auto'
  const heading = page.title === frame.title ? page.title : `${page.title} · ${frame.title}`
  const description = page.description ?? config?.description ?? ''
  return `<!doctype html>\n${
    html`<html lang="${language.locale}" dir="${language.direction}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}">
<title>${heading}</title>
${description !== '' && html`<meta name="description" content="${description.slice(0, 300)}">`}
<meta property="og:title" content="${page.title}">
<meta property="og:site_name" content="${frame.title}">
<link rel="canonical" href="${page.canonical}">
<link rel="icon" href="${config?.favicon_url ?? assets.icon}">
<link rel="stylesheet" href="${assets.css}">
<link rel="stylesheet" href="${assets.theme}">
<link rel="alternate" type="application/atom+xml" title="${words.feedNew}" href="${base}/new.atom">
<link rel="alternate" type="application/atom+xml" title="${words.feedStatus}" href="${base}/changes.atom">
${assets.jsParts.map((part) => html`<link rel="modulepreload" href="${part}">`)}
<script src="${assets.js}" type="module"></script>
</head>
<body data-base="${base}" data-api="${frame.api}" data-known="${frame.knowsVisitor ? 'yes' : 'no'}"
 data-failed="${words.failed}" data-offline="${words.offline}" data-voted="${words.voted}"
 data-unvoted="${words.unvoted}" data-sign-in="${words.signIn}" data-too-fast="${words.tooFast}"
 data-refusals="${JSON.stringify(words.refusals)}">
<a class="skip" href="#main">${words.skip}</a>
<div class="page">
${header(frame, page)}
<main id="main" tabindex="-1">${page.main}</main>
${footer(frame)}
</div>
<div class="toast" id="toast" role="status" aria-live="polite"></div>
</body>
</html>`.markup
  }\n`
}

function header({ base, config, title, language }: PortalFrame, { kind }: PageOptions): Html {
  const { words } = language
  return html`<header class="top">
<a class="brand" href="${base}">${
    config?.logo_url &&
    html`<img class="logo" src="${config.logo_url}" alt="" width="36" height="36" referrerpolicy="no-referrer">`
  }${kind === 'list' ? html`<h1 class="brand-name" dir="auto">${title}</h1>` : html`<span class="brand-name" dir="auto">${title}</span>`}</a>
<nav class="top-links">${(config?.links ?? []).map(
    ({ label, url }) => html`<a class="quiet" href="${url}" rel="noopener" dir="auto">${label}</a>`,
  )}${
    kind !== 'suggest' &&
    config?.allow_suggestions !== false &&
    html`<a class="button primary" href="${base}/suggest">${icon('plus')}<span class="long">${words.suggest}</span><span class="short" aria-hidden="true">${words.suggestShort}</span></a>`
  }</nav>
</header>`
}

function footer({ base, config, language }: PortalFrame): Html {
  const { words } = language
  return html`<footer class="bottom">
${config?.footer_text && html`<p dir="auto">${config.footer_text}</p>`}
<p class="fine"><a href="${base}/new.atom">${icon('feed')}${words.feedNew}</a>
<a href="${base}/changes.atom">${icon('feed')}${words.feedStatus}</a>${
    config?.show_powered_by !== false && html`<span class="powered">${words.poweredBy}</span>`
  }</p>
</footer>`
}
