/**
 * What a page shows while reads fail, and when they are repeated. A page without data says at once
 * what failed, and a page with old data says that it is old. Both recover by themselves.
 */
import { signal } from '@preact/signals'
import type { Query } from '@tanstack/query-core'
import { asProblem, type Problem } from './problem.ts'
import { queryClient } from './query-client.ts'

export type Failure = Problem | Error

interface Result {
  readonly data: unknown
  readonly error: Error | null
  /** Of the latest attempt, also while there are attempts left. */
  readonly failureReason: Error | null
}

/** Attempts that failed before a page with data says so: a single one is often a restart. */
const failuresMin = 2
const recoverEveryMs = 10_000

/** An old value stays on the screen while the server is away; `outOfDate` says why. */
export function failureOf({ data, error, failureReason }: Result): Failure | undefined {
  const failure = data === undefined ? (error ?? failureReason) : error
  if (failure === null || (data !== undefined && mayPass(failure))) return undefined
  return failure
}

function mayPass(error: Error | null): boolean {
  return error !== null && asProblem(error)?.mayPass === true
}

/** A read whose last attempt may succeed later is repeated, even if it is not one that polls. */
export function refetchIntervalOf(everyMs: number | undefined) {
  return (query: Pick<Query, 'state'>): number | false => {
    return everyMs ?? (mayPass(query.state.error) ? recoverEveryMs : false)
  }
}

/** Why something on the screen is not up to date; undefined while everything is. */
export const outOfDate = signal<Failure | undefined>(undefined)

export function refetchOutOfDate(): void {
  void queryClient.refetchQueries({ type: 'active', predicate: (query) => isOld(query) })
}

function isOld({ state }: Pick<Query, 'state'>): boolean {
  const { data, error, fetchFailureCount, fetchFailureReason } = state
  const failure = error ?? (fetchFailureCount >= failuresMin ? fetchFailureReason : null)
  return data !== undefined && mayPass(failure)
}

const cache = queryClient.getQueryCache()
cache.subscribe(() => {
  const old = cache.getAll().find((query) => query.isActive() && isOld(query))
  const failure = old?.state.error ?? old?.state.fetchFailureReason ?? undefined
  // The same message of another read changes nothing on the screen.
  if (failure?.message !== outOfDate.value?.message) outOfDate.value = failure
})
