/**
 * A page of ideas for a visitor: in stored order, or a search that falls back to titles with typing
 * errors and to similar titles.
 */
import type { IdeaListQuery } from '#schemas/rest/portal/idea.ts'
import type { Postgres } from '../database.ts'
import type { PortalProject } from '../portal/gate/portal-gate.ts'
import { type IdeaFilter, type IdeaPage, listIdeas } from './idea-list-store.ts'
import { boundSearch, listSimilar, rareMax } from './idea-search-store.ts'

export async function readIdeas(
  pg: Postgres,
  { portal, query, enduserId }: ReadOf<IdeaListQuery>,
): Promise<IdeaPage> {
  const filter: Omit<IdeaFilter, 'search'> = {
    projectId: portal.projectId,
    offset: query.offset,
    limit: query.limit,
    byVotes: query.sort_by_votes,
    enduserId,
    tag: query.tag?.trim() || undefined,
    status: query.status || undefined,
  }
  const text = query.search?.trim() ?? ''
  if (text === '') return listIdeas(pg, { ...filter, search: undefined })

  const { projectId, settings } = portal
  return pg.transaction(async (client) => {
    const language = settings.searchLanguage
    const { query: words, found, sounds } = await boundSearch(client, { projectId, text, language })
    // Without a match only pending ideas of the visitor can have the words.
    if (words !== null && (0 < found || enduserId !== undefined)) {
      const isRare = found <= rareMax
      const search = { kind: 'words', query: words, isRare } as const
      const page = await listIdeas(client, { ...filter, search })
      // No fallback for a page past the end, or if only the other filters exclude all matches.
      if (0 < page.total || 0 < found) return page
    }
    if (sounds !== '') {
      const page = await listIdeas(client, { ...filter, search: { kind: 'typos', sounds } })
      if (0 < page.total) return page
    }
    return listIdeas(client, { ...filter, search: { kind: 'likeness', sounds, text } })
  })
}

/** Ideas with a similar title, as the text of a JSON array. */
export async function readSimilar(
  pg: Postgres,
  { portal, query, enduserId }: ReadOf<{ title: string }>,
): Promise<string> {
  const text = query.title.trim()
  const { projectId, settings } = portal
  if (text === '') return '[]'
  return pg.transaction(async (client) => {
    const language = settings.searchLanguage
    const prepared = await boundSearch(client, { projectId, text, language })
    return listSimilar(client, { projectId, enduserId, prepared })
  })
}

interface ReadOf<Query> {
  readonly portal: PortalProject
  readonly query: Query
  /** The project's id of the visitor. Undefined: anonymous. */
  readonly enduserId: string | undefined
}
