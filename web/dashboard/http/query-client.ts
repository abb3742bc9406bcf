/** The cache of everything that pages have read, and its invalidation by live updates. */
import { type Query, QueryClient } from '@tanstack/query-core'
import { asProblem } from './problem.ts'

/** What live updates name (`GET /api/v1/live`). */
export const topics = [
  'issues',
  'events',
  'monitors',
  'releases',
  'feedback',
  'ideas',
  'moderation',
  'campaigns',
  'imports',
  'alerts',
] as const
export type Topic = (typeof topics)[number]

const retriesMax = 2
const freshMs = 20_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      // A browser without a network still reaches a server on the same machine.
      networkMode: 'always',
      refetchOnReconnect: true,
      // Rows do not move because a person comes back to the tab; live updates say what is new.
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < retriesMax && (asProblem(error)?.mayPass ?? false),
      retryDelay: (failures, error) => {
        const seconds = asProblem(error)?.retryAfterSeconds
        return seconds === undefined ? 500 * 2 ** failures : seconds * 1_000
      },
    },
  },
})

// Reads what is old again when the network is back.
queryClient.mount()

interface Meta {
  readonly topics?: readonly Topic[]
}

/** Refetches what is on the screen and marks the rest as stale. */
export function invalidateTopics(changed: ReadonlySet<Topic>): void {
  const depends = (query: Query) =>
    (query.meta as Meta | undefined)?.topics?.some((topic) => changed.has(topic)) ?? false
  void queryClient.invalidateQueries({ predicate: depends })
}

/** Refetches the reads of one operation, such as a list after an item was created. */
export function invalidateReads(...operations: readonly string[]): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: (query) => operations.includes(String(query.queryKey[0])),
  })
}
