/** Moves an idea between the cached lists of its statuses, before the server has answered. */
import type { InfiniteData } from '@tanstack/query-core'
import { queryClient } from '../../../http/query-client.ts'
import { type Idea, ideaRead, ideasList } from '../common/idea.ts'

export interface IdeaListPage {
  readonly items: readonly Idea[]
  readonly next_cursor: string | null
}

export interface ListQuery {
  readonly sort?: string
  readonly status?: string
}

/** The pages of one list after the change of one idea. */
export function placeIdea(
  pages: readonly IdeaListPage[],
  idea: Idea,
  query: ListQuery,
): readonly IdeaListPage[] {
  const belongs = query.status === undefined || query.status === idea.status
  const isListed = pages.some(({ items }) => items.some(({ id }) => id === idea.id))
  const replace = (items: readonly Idea[]) =>
    items.flatMap((item) => (item.id !== idea.id ? item : belongs ? idea : []))
  const replaced = pages.map((page) => ({ ...page, items: replace(page.items) }))
  if (isListed || !belongs || query.status === undefined) return replaced
  return insert(replaced, idea, query.sort === 'votes')
}

/** Beyond the loaded rows it is not inserted: it comes with the page that has it. */
function insert(
  pages: readonly IdeaListPage[],
  idea: Idea,
  byVotes: boolean,
): readonly IdeaListPage[] {
  const isBefore = (other: Idea) =>
    byVotes && other.vote_count !== idea.vote_count
      ? other.vote_count < idea.vote_count
      : other.created_at < idea.created_at
  for (const [index, page] of pages.entries()) {
    const at = page.items.findIndex(isBefore)
    const isEnd = index === pages.length - 1 && page.next_cursor === null
    if (at < 0 && !isEnd) continue
    const items = [...page.items]
    items.splice(at < 0 ? items.length : at, 0, idea)
    return pages.map((other) => (other === page ? { ...page, items } : other))
  }
  return pages
}

/** Shows a changed idea everywhere; the function that it returns takes it back. */
export function showIdea(idea: Idea): () => void {
  const lists = { queryKey: [ideasList] }
  const before = [
    ...queryClient.getQueriesData(lists),
    ...queryClient.getQueriesData({ queryKey: [ideaRead] }),
  ]
  for (const [key, data] of queryClient.getQueriesData<InfiniteData<IdeaListPage>>(lists)) {
    if (data?.pages === undefined) continue
    const pages = placeIdea(data.pages, idea, (key[2] ?? {}) as ListQuery)
    queryClient.setQueryData(key, { ...data, pages })
  }
  queryClient.setQueriesData({ queryKey: [ideaRead] }, (detail: Idea | undefined) =>
    detail?.id === idea.id ? { ...detail, ...idea } : detail,
  )
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
  }
}
