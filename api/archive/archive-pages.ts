/**
 * HTML pages of the archive. They contain no scripts, and their content security policy forbids
 * them.
 */
import { escapeHtml } from '#schemas/mail/escape-value.ts'
import type { Article } from '../compose/compose-article.ts'
import { directionOf } from '../compose/layout.ts'
import type { ArchivedCampaign, ArchiveNewsletter } from './archive-store.ts'

export const archivePolicy =
  "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pageCss = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; background: #ffffff; color: #1c2024; font: 17px/1.6 -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
.archive { max-width: 680px; margin: 0 auto; padding: 24px 20px 64px; overflow-wrap: anywhere; }
.archive-head, .archive-foot { font-size: 15px; color: #57606a; }
.archive-head { padding-bottom: 24px; }
.archive-foot { margin-top: 48px; padding-top: 16px; border-top: 1px solid #d8dee4; }
.archive-head a, .archive-foot a { color: inherit; }
.archive h1 { font-size: 30px; line-height: 1.25; margin: 0 0 8px; }
.archive time { color: #57606a; font-size: 15px; }
.archive img { max-width: 100%; height: auto; }
.archive pre { overflow: auto; padding: 12px 16px; background: #f3f5f7; font-size: 14px; }
.archive blockquote { margin: 0 0 16px; padding-inline-start: 16px; border-inline-start: 3px solid #c9d1d9; }
.archive table.data { border-collapse: collapse; }
.archive table.data td, .archive table.data th { border: 1px solid #d8dee4; padding: 6px 10px; text-align: start; }
.archive-list { list-style: none; margin: 24px 0 0; padding: 0; }
.archive-list li { padding: 16px 0; border-top: 1px solid #d8dee4; }
.archive-list a { font-size: 19px; font-weight: 600; color: inherit; text-decoration: none; }
.archive-list a:hover, .archive-list a:focus { text-decoration: underline; }
.archive-list p { margin: 4px 0 0; }
.archive a:focus-visible { outline: 2px solid #0b62d6; outline-offset: 2px; }
.archive article a { color: #0b62d6; }
.archive-own { background: #ffffff; color: #1c2024; }
@media (prefers-color-scheme: dark) {
  body { background: #15181c; color: #e4e8ec; }
  .archive-head, .archive-foot, .archive time { color: #9aa4af; }
  .archive pre { background: #22272e; }
  .archive article:not(.archive-own) a { color: #7ab7ff; }
  .archive-foot, .archive-list li, .archive table.data td, .archive table.data th { border-color: #343b43; }
}
`

export interface ListPage {
  readonly newsletter: ArchiveNewsletter
  readonly campaigns: readonly (ArchivedCampaign & Pick<Article, 'subject' | 'preview'>)[]
  readonly url: string
  /** Paths of the previous and the next page. */
  readonly newer: string | undefined
  readonly older: string | undefined
}

export function listPage({ newsletter, campaigns, url, newer, older }: ListPage): string {
  const { name, description, locale } = newsletter
  const items = campaigns.map(
    ({ archiveSlug, subject, preview, sentAt }) =>
      `<li><a href="${url}/${archiveSlug}">${escapeHtml(subject)}</a><br>${timeOf(sentAt, locale)}${
        preview === '' ? '' : `<p>${escapeHtml(preview)}</p>`
      }</li>`,
  )
  const steps = [
    newer === undefined ? '' : `<a rel="prev" href="${escapeHtml(newer)}">Newer</a>`,
    older === undefined ? '' : `<a rel="next" href="${escapeHtml(older)}">Older</a>`,
  ].filter((step) => step !== '')
  return page(newsletter, {
    title: name,
    description: description ?? '',
    url: `${url}/`,
    archiveUrl: url,
    type: 'website',
    css: '',
    body: `<main>
<h1>${escapeHtml(name)}</h1>
${description === null ? '' : `<p>${escapeHtml(description)}</p>`}
${items.length === 0 ? '<p>Nothing has been sent yet.</p>' : `<ul class="archive-list">\n${items.join('\n')}\n</ul>`}
</main>
<footer class="archive-foot">${[...steps, `<a href="${url}/feed.xml">Feed</a>`].join(' · ')}</footer>`,
  })
}

export interface CampaignPage {
  readonly newsletter: ArchiveNewsletter
  readonly campaign: ArchivedCampaign
  readonly article: Article
  readonly url: string
  readonly archiveUrl: string
}

export function campaignPage({
  newsletter,
  campaign,
  article,
  url,
  archiveUrl,
}: CampaignPage): string {
  // When the text begins with a heading, the subject above it would repeat it.
  const heading = /^\s*<h1\b/i.test(article.body) ? '' : `<h1>${escapeHtml(article.subject)}</h1>\n`
  return page(newsletter, {
    title: article.subject,
    description: article.preview,
    url,
    archiveUrl,
    type: 'article',
    css: article.css,
    body: `<header class="archive-head"><a href="${archiveUrl}/">${escapeHtml(newsletter.name)}</a> · ${timeOf(campaign.sentAt, newsletter.locale)}</header>
<main><article${article.isDocument ? ' class="archive-own"' : ''}>
${heading}${article.body}
</article></main>
<footer class="archive-foot"><a href="${archiveUrl}/">${escapeHtml(newsletter.name)}</a> · <a href="${archiveUrl}/feed.xml">Feed</a></footer>`,
  })
}

interface Page {
  readonly title: string
  readonly description: string
  readonly url: string
  readonly archiveUrl: string
  readonly type: 'website' | 'article'
  readonly css: string
  readonly body: string
}

function page(newsletter: ArchiveNewsletter, parts: Page): string {
  const { name, locale, archiveNoindex } = newsletter
  const title = escapeHtml(parts.title)
  const description = escapeHtml(parts.description)
  return `<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${parts.type === 'article' ? `${title} · ${escapeHtml(name)}` : title}</title>
<link rel="canonical" href="${parts.url}">
${archiveNoindex ? '<meta name="robots" content="noindex">\n' : ''}${
  description === '' ? '' : `<meta name="description" content="${description}">\n`
}<meta property="og:title" content="${title}">
<meta property="og:type" content="${parts.type}">
<meta property="og:url" content="${parts.url}">
<meta property="og:site_name" content="${escapeHtml(name)}">
${description === '' ? '' : `<meta property="og:description" content="${description}">\n`}<link rel="alternate" type="application/atom+xml" title="${escapeHtml(name)}" href="${parts.archiveUrl}/feed.xml">
<link rel="alternate" type="application/feed+json" title="${escapeHtml(name)}" href="${parts.archiveUrl}/feed.json">
<style>${pageCss}${parts.css}</style>
</head>
<body>
<div class="archive">
${parts.body}
</div>
</body>
</html>
`
}

function timeOf(at: Date, locale: string): string {
  return `<time datetime="${at.toISOString()}">${escapeHtml(dateIn(locale, at))}</time>`
}

function dateIn(locale: string, at: Date): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const
  try {
    return at.toLocaleDateString(locale, options)
  } catch {
    // The newsletter's locale is not known to this runtime.
    return at.toLocaleDateString('en', options)
  }
}
