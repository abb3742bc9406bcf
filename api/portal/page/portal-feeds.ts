/** Two Atom feeds (RFC 4287): new ideas, and changes of their status or response. */

import { isolated } from '#schemas/visible-text.ts'
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import { escapeHtml } from './html.ts'
import { plainExcerpt } from './markdown.ts'
import type { OpenPage, PageScope } from './page-scope.ts'
import { listPortalChanges } from './portal-change-store.ts'
import type { IdeaPageReply } from './portal-replies.ts'

const entriesMax = 50
const summaryCharactersMax = 500
const hidden = { schema: { hide: true } } as const

interface Entry {
  readonly id: string
  readonly ideaId: string
  readonly title: string
  readonly summary: string
  readonly at: string
}

export function registerFeeds(app: ApiInstance, ctx: ApiContext, scope: PageScope): void {
  app.get('/:project_key/new.atom', hidden, async (request, reply) => {
    const page = await scope.open(request)
    const query = { sort_by_votes: 'false', limit: String(entriesMax) }
    try {
      const { items } = await page.api.get<IdeaPageReply>('/ideas', query)
      const entries = items
        .filter(({ moderation }) => moderation === undefined)
        .map(({ id, title, description, created_at: at }) => ({
          id,
          ideaId: id,
          at,
          title: isolated(title),
          summary: isolated(plainExcerpt(description, summaryCharactersMax)),
        }))
      return send(
        reply,
        feed(page, { name: page.frame.language.words.feedNew, file: 'new', entries }),
      )
    } catch (error) {
      return scope.sendProblem(reply, page, error)
    }
  })

  app.get('/:project_key/changes.atom', hidden, async (request, reply) => {
    const page = await scope.open(request)
    const { words } = page.frame.language
    const { projectId } = page.portal
    const changes = await listPortalChanges(ctx.pg, { projectId, limit: entriesMax })
    const entries = changes.map(({ id, ideaId, title, status, response, at }) => ({
      id,
      ideaId,
      at: at.toISOString(),
      title: `${words.status[status]}: ${isolated(title)}`,
      summary: isolated(plainExcerpt(response ?? '', summaryCharactersMax)),
    }))
    return send(reply, feed(page, { name: words.feedStatus, file: 'changes', entries }))
  })
}

function send(reply: Parameters<PageScope['send']>[0], xml: string) {
  return reply
    .type('application/atom+xml; charset=utf-8')
    .header('cache-control', 'public, max-age=60')
    .send(xml)
}

function feed(
  { frame, canonical, portal }: OpenPage,
  { name, file, entries }: { name: string; file: string; entries: readonly Entry[] },
): string {
  const updated =
    entries
      .map(({ at }) => at)
      .sort()
      .at(-1) ?? new Date(frame.nowMs).toISOString()
  const lines = entries.map(
    (entry) => `<entry>
<id>urn:uuid:${entry.id}</id>
<title>${xml(entry.title)}</title>
<link href="${xml(canonical(`/ideas/${entry.ideaId}`))}"/>
<updated>${entry.at}</updated>
<summary>${xml(entry.summary)}</summary>
</entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${frame.language.locale}">
<id>urn:uuid:${portal.projectKey}:${file}</id>
<title>${xml(`${frame.title}: ${name}`)}</title>
<link rel="self" href="${xml(canonical(`/${file}.atom`))}"/>
<link rel="alternate" type="text/html" href="${xml(canonical(''))}"/>
<author><name>${xml(frame.title)}</name></author>
<updated>${updated}</updated>
${lines.join('\n')}
</feed>
`
}

/** Escapes text and removes control characters, which XML cannot represent. */
function xml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
  return escapeHtml(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''))
}
