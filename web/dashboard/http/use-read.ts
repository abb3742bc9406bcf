/** A GET of the API as a hook: cached, shared between components, refetched by live updates. */
import { type QueryKey, QueryObserver } from '@tanstack/query-core'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Failure, failureOf, refetchIntervalOf } from './failure.ts'
import { queryClient, type Topic } from './query-client.ts'
import { type Input, type ReadName, type Reply, request } from './request.ts'

export interface Read<T> {
  /** The last value, also while it is refetched or the refetch has failed. */
  readonly data: T | undefined
  /** Without a value also while the request is repeated; with one, `outOfDate` may say more. */
  readonly problem: Failure | undefined
  /** No value and no problem yet. */
  readonly isLoading: boolean
  readonly isFetching: boolean
  readonly refetch: () => void
}

export interface ReadOptions {
  /** Live updates that make the value stale. */
  readonly topics?: readonly Topic[]
  /** Nothing is read until this is true. */
  readonly enabled?: boolean
  /** The value of the former input is shown until the new one arrives. */
  readonly keepPrevious?: boolean
  readonly refetchEveryMs?: number | undefined
}

export function readKey<K extends ReadName>(operation: K, input: Input<K>): QueryKey {
  return [operation, input.params ?? {}, input.query ?? {}]
}

export function useRead<K extends ReadName>(
  operation: K,
  input: Input<K>,
  options: ReadOptions = {},
): Read<Reply<K>> {
  const settings = {
    queryKey: readKey(operation, input),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => request(operation, input, signal),
    enabled: options.enabled ?? true,
    meta: { topics: options.topics ?? [] },
    refetchInterval: refetchIntervalOf(options.refetchEveryMs),
    ...(options.keepPrevious === true
      ? { placeholderData: (previous: Reply<K> | undefined) => previous }
      : {}),
  }
  const hash = JSON.stringify(settings.queryKey)
  // The observer outlives changes of the input, so that the former value can stay.
  const observer = useMemo(() => new QueryObserver<Reply<K>>(queryClient, settings as never), [])
  const [, redraw] = useState(0)
  useEffect(() => observer.subscribe(() => redraw((count) => count + 1)), [observer])
  useEffect(
    () => observer.setOptions(settings as never),
    [observer, hash, settings.enabled, options.refetchEveryMs],
  )
  const result = observer.getOptimisticResult(
    queryClient.defaultQueryOptions(settings as never) as never,
  )
  const problem = failureOf(result)
  return {
    data: result.data,
    problem,
    isLoading: result.isLoading && problem === undefined,
    isFetching: result.isFetching,
    refetch: () => void observer.refetch(),
  }
}
