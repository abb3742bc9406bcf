/** Edits cached replies in place of a refetch, for changes that are shown before they are sent. */
import type { InfiniteData } from '@tanstack/query-core'
import { queryClient } from './query-client.ts'
import type { ReadName, Reply } from './request.ts'
import type { Item, PagedName } from './use-pages.ts'

/** Edits, or with `undefined` removes, items of every cached list of an operation. */
export function editItems<K extends PagedName>(
  operation: K,
  edit: (item: Item<K>) => Item<K> | undefined,
): () => void {
  const filter = {
    predicate: (query: { readonly queryKey: readonly unknown[] }) =>
      query.queryKey[0] === operation,
  }
  const before = queryClient.getQueriesData(filter)
  const editPage = (page: { readonly items: readonly Item<K>[] }) => ({
    ...page,
    items: page.items.flatMap((item) => edit(item) ?? []),
  })
  queryClient.setQueriesData(filter, (data: unknown) => {
    if (data === undefined) return undefined
    if (isPaged(data)) return { ...data, pages: data.pages.map((page) => editPage(page as never)) }
    return editPage(data as never)
  })
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
  }
}

/** Edits every cached reply of an operation whose parameters match. */
export function editReply<K extends ReadName>(
  operation: K,
  matches: (params: Readonly<Record<string, unknown>>) => boolean,
  edit: (reply: Reply<K>) => Reply<K>,
): () => void {
  const filter = {
    predicate: (query: { readonly queryKey: readonly unknown[] }) =>
      query.queryKey[0] === operation && matches((query.queryKey[1] ?? {}) as never),
  }
  const before = queryClient.getQueriesData(filter)
  queryClient.setQueriesData(filter, (data: unknown) =>
    data === undefined ? undefined : edit(data as Reply<K>),
  )
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data)
  }
}

function isPaged(data: unknown): data is InfiniteData<unknown> {
  return typeof data === 'object' && data !== null && 'pages' in data
}
