/** Feeds of the newest campaigns with their full text: Atom (RFC 4287) and JSON Feed 1.1. */
import { escapeHtml } from '#schemas/mail/escape-value.ts'
import type { Article } from '../compose/compose-article.ts'
import type { ArchivedCampaign, ArchiveNewsletter } from './archive-store.ts'

export interface Feed {
  readonly newsletter: ArchiveNewsletter
  readonly campaigns: readonly (ArchivedCampaign & { readonly article: Article })[]
  readonly archiveUrl: string
}

export function atomFeed({ newsletter, campaigns, archiveUrl }: Feed): string {
  const updated = campaigns[0]?.sentAt ?? new Date(0)
  const entries = campaigns.map(
    ({ id, archiveSlug, sentAt, article }) => `<entry>
<id>urn:uuid:${id}</id>
<title>${xml(article.subject)}</title>
<link rel="alternate" type="text/html" href="${xml(`${archiveUrl}/${archiveSlug}`)}"/>
<published>${sentAt.toISOString()}</published>
<updated>${sentAt.toISOString()}</updated>
${article.preview === '' ? '' : `<summary>${xml(article.preview)}</summary>\n`}<content type="html">${xml(article.body)}</content>
</entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${xml(newsletter.locale)}">
<id>urn:uuid:${newsletter.id}</id>
<title>${xml(newsletter.name)}</title>
${newsletter.description === null ? '' : `<subtitle>${xml(newsletter.description)}</subtitle>\n`}<author><name>${xml(newsletter.fromName ?? newsletter.name)}</name></author>
<link rel="self" type="application/atom+xml" href="${xml(archiveUrl)}/feed.xml"/>
<link rel="alternate" type="text/html" href="${xml(archiveUrl)}/"/>
<updated>${updated.toISOString()}</updated>
${entries.join('\n')}
</feed>
`
}

export function jsonFeed({ newsletter, campaigns, archiveUrl }: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: newsletter.name,
    ...(newsletter.description === null ? {} : { description: newsletter.description }),
    home_page_url: `${archiveUrl}/`,
    feed_url: `${archiveUrl}/feed.json`,
    language: newsletter.locale,
    authors: [{ name: newsletter.fromName ?? newsletter.name }],
    items: campaigns.map(({ id, archiveSlug, sentAt, article }) => ({
      id: `urn:uuid:${id}`,
      url: `${archiveUrl}/${archiveSlug}`,
      title: article.subject,
      ...(article.preview === '' ? {} : { summary: article.preview }),
      content_html: article.body,
      date_published: sentAt.toISOString(),
    })),
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters.
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** XML 1.0 cannot represent most control characters, not even as references. */
function xml(text: string): string {
  return escapeHtml(text.toWellFormed().replace(notInXml, ''))
}
