/** Reads of the pages from the public API. */
import { type Idea, ideasPerPage } from '#schemas/rest/portal/idea.ts'
import { commentsPerPage } from './idea-page.ts'
import type { ListData, ListView } from './list-page.ts'
import { PortalApiError } from './page-api.ts'
import type { OpenPage } from './page-scope.ts'
import type {
  CommentPageReply,
  IdeaPageReply,
  OneIdeaReply,
  ShownTag,
  StatsReply,
  TimelineReply,
} from './portal-replies.ts'

const titleCharactersMin = 3

/** Reads the list with the counts of the tabs and the tags. */
export async function readList(page: OpenPage, view: ListView, part: string): Promise<ListData> {
  const query = {
    offset: String(view.offset),
    limit: String(ideasPerPage),
    sort_by_votes: view.sort === 'top' ? 'true' : 'false',
    ...(view.status === undefined ? {} : { status: view.status }),
    ...(view.tag === '' ? {} : { tag: view.tag }),
    ...(view.search.trim() === '' ? {} : { search: view.search }),
  }
  const list = page.api.get<IdeaPageReply>('/ideas', query)
  // A following page is added below the list, so only the list is needed.
  if (part === 'list' && view.offset > 0) {
    return { list: await list, stats: undefined, tags: [], view }
  }
  const [ideas, stats, tags] = await Promise.all([
    list,
    page.api.get<StatsReply>('/ideas/stats'),
    page.api.get<{ tags: readonly ShownTag[] }>('/tags'),
  ])
  return { list: ideas, stats, tags: tags.tags, view }
}

export async function readIdea(page: OpenPage, id: string, offset: number) {
  const name = encodeURIComponent(id)
  const [idea, comments, timeline] = await Promise.all([
    page.api.get<OneIdeaReply>(`/ideas/${name}`),
    page.api.get<CommentPageReply>(`/ideas/${name}/comments`, {
      offset: String(offset),
      limit: String(commentsPerPage),
    }),
    page.api.get<TimelineReply>(`/ideas/${name}/timeline`),
  ])
  return { idea: idea.feature, comments, timeline: timeline.items, offset }
}

/** Similar ideas, or none if the API refuses the request: the page works without them. */
export async function readSimilar(page: OpenPage, title: string): Promise<readonly Idea[]> {
  if (title.trim().length < titleCharactersMin) return []
  try {
    const { items } = await page.api.get<Pick<IdeaPageReply, 'items'>>('/ideas/similar', { title })
    return items
  } catch (error) {
    if (error instanceof PortalApiError) return []
    throw error
  }
}
