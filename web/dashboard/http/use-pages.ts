/**
 * A keyset-paged list of the API as a hook: pages are appended as the person scrolls. Live updates
 * refetch the pages that are loaded.
 */
import { InfiniteQueryObserver } from '@tanstack/query-core'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Failure, failureOf, refetchIntervalOf } from './failure.ts'
import { queryClient } from './query-client.ts'
import { type Input, type ReadName, type Reply, request } from './request.ts'
import { type ReadOptions, readKey } from './use-read.ts'

/** Operations whose reply is `{ items, next_cursor }` or `{ items, nextCursor }`. */
export type PagedName = {
  [K in ReadName]: Reply<K> extends { readonly items: readonly unknown[] } ? K : never
}[ReadName]
export type Item<K extends PagedName> =
  Reply<K> extends { readonly items: readonly (infer T)[] } ? T : never

export interface Pages<T> {
  readonly items: readonly T[]
  /** Before the first page also while the request is repeated. */
  readonly problem: Failure | undefined
  /** Nothing has been read yet, and nothing has failed. */
  readonly isLoading: boolean
  readonly isFetching: boolean
  /** The items are those of the former query, until these are read. */
  readonly isPrevious: boolean
  readonly isLoadingMore: boolean
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly refetch: () => void
}

/** Older pages are dropped from memory beyond this many. */
const pagesMax = 200

export function usePages<K extends PagedName>(
  operation: K,
  input: Input<K>,
  options: ReadOptions = {},
): Pages<Item<K>> {
  const settings = {
    queryKey: [...readKey(operation, input), 'pages'],
    queryFn: (context: { readonly signal: AbortSignal; readonly pageParam: unknown }) => {
      const query = { ...(input.query ?? {}), cursor: context.pageParam }
      return request(operation, { ...input, query } as Input<K>, context.signal)
    },
    initialPageParam: undefined,
    getNextPageParam: (page: unknown) => cursorOf(page),
    maxPages: pagesMax,
    enabled: options.enabled ?? true,
    meta: { topics: options.topics ?? [] },
    refetchInterval: refetchIntervalOf(options.refetchEveryMs),
    ...(options.keepPrevious === true ? { placeholderData: (previous: unknown) => previous } : {}),
  }
  const hash = JSON.stringify(settings.queryKey)
  const observer = useMemo(() => new InfiniteQueryObserver(queryClient, settings as never), [])
  const [, redraw] = useState(0)
  useEffect(() => observer.subscribe(() => redraw((count) => count + 1)), [observer])
  useEffect(
    () => observer.setOptions(settings as never),
    [observer, hash, settings.enabled, options.refetchEveryMs],
  )
  const result = observer.getOptimisticResult(
    queryClient.defaultQueryOptions(settings as never) as never,
  )
  const pages = (result.data as { readonly pages: readonly unknown[] } | undefined)?.pages
  const items = useMemo(
    () => (pages ?? []).flatMap((page) => (page as { items: readonly Item<K>[] }).items),
    [pages],
  )
  const problem = failureOf(result)
  return {
    items,
    problem,
    // The first render is before the request: there is nothing yet, and not "no items".
    isLoading: result.isPending && settings.enabled && problem === undefined,
    isFetching: result.isFetching,
    isPrevious: result.isPlaceholderData,
    isLoadingMore: result.isFetchingNextPage,
    hasMore: result.hasNextPage,
    loadMore: () => {
      if (result.hasNextPage && !result.isFetching) void observer.fetchNextPage()
    },
    refetch: () => void observer.refetch(),
  }
}

function cursorOf(page: unknown): string | undefined {
  const { next_cursor: snake, nextCursor: camel } = page as {
    readonly next_cursor?: string | null
    readonly nextCursor?: string | null
  }
  return snake ?? camel ?? undefined
}
