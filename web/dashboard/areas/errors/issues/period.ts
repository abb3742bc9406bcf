/**
 * The period of the list: issues seen in it, and searches for events within it. It keeps a search
 * in a project with many events fast.
 */
import { useMemo } from 'preact/hooks'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const lengths = {
  '1h': { label: 'Last hour', words: 'in the last hour', ms: hourMs },
  '24h': { label: 'Last 24 hours', words: 'in the last 24 hours', ms: dayMs },
  '7d': { label: 'Last 7 days', words: 'in the last 7 days', ms: 7 * dayMs },
  '14d': { label: 'Last 14 days', words: 'in the last 14 days', ms: 14 * dayMs },
  '30d': { label: 'Last 30 days', words: 'in the last 30 days', ms: 30 * dayMs },
  '90d': { label: 'Last 90 days', words: 'in the last 90 days', ms: 90 * dayMs },
  all: { label: 'All time', words: '', ms: undefined },
} as const

export type Period = keyof typeof lengths
export const periods = Object.keys(lengths) as readonly Period[]
export const defaultPeriod: Period = '14d'

export function labelOf(period: Period): string {
  return lengths[period].label
}

/** `in the last 14 days`; empty for all time. */
export function wordsOf(period: Period): string {
  return lengths[period].words
}

/** What the API is asked, for lists, counts and changes alike. */
export interface IssueFilter {
  readonly query?: string
  readonly since?: string
}

export function useIssueFilter(query: string, period: Period): IssueFilter {
  // The beginning stays while the page shows this period: it is part of each page's request.
  const since = useMemo(() => sinceOf(period, Date.now()), [period])
  return useMemo(
    () => ({ ...(query === '' ? {} : { query }), ...(since === undefined ? {} : { since }) }),
    [query, since],
  )
}

/** At a full minute. */
export function sinceOf(period: Period, nowMs: number): string | undefined {
  const { ms } = lengths[period]
  if (ms === undefined) return undefined
  return new Date(Math.floor((nowMs - ms) / 60_000) * 60_000).toISOString()
}
