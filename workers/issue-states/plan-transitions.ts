/**
 * Decides which issues of a commit change their state:
 *
 *   resolved    → regressed    an event that was received after the resolution reopens it
 *   ignored     → returned     the first condition that ends ignoring holds
 *   ignored     → escalating   ignored until then, and the hour has more events than its limit
 *   unresolved  → escalating   the hour has more events than its limit
 *
 * Times are times of receipt. A pure function; the rows are locked and written elsewhere.
 */

import { type KnownReleases, type Resolution, reopens } from '#schemas/releases/reopens.ts'
import type { IssueSum, ReleaseReceipt } from '../digest/issue-sums.ts'
import type { Escalation } from './settled-states.ts'
import type { TouchedIssue } from './touched-issue.ts'

/** An issue and what the commit adds to it. */
export interface Touched {
  readonly issue: TouchedIssue
  readonly sum: Pick<IssueSum, 'projectId' | 'lastReceivedMs' | 'releases' | 'users'>
}

export type Transition = { readonly issueId: string; readonly atMs: number } & (
  | {
      readonly kind: 'regressed'
      readonly data: {
        readonly release: string | null
        readonly resolved_in: string
        readonly resolved_release: string | null
      }
    }
  | { readonly kind: 'escalating'; readonly data: Escalation }
  | { readonly kind: 'returned'; readonly data: Ended }
)

/** The condition of ignoring that has ended. */
type Ended =
  | { readonly which: 'at'; readonly until: string }
  | { readonly which: 'events' | 'users'; readonly count: number; readonly until: number }

export interface Facts {
  /** By issue id. */
  readonly releases: ReadonlyMap<string, KnownReleases>
  /** Users since the issue is ignored, by issue id; absent if none is new. */
  readonly users: ReadonlyMap<string, number>
}

export function planTransition(touched: Touched, facts: Facts): Transition | undefined {
  switch (touched.issue.status) {
    case 'resolved':
      return planRegression(touched, facts.releases.get(touched.issue.id) ?? new Map())
    case 'ignored':
      return planReturn(touched, facts.users.get(touched.issue.id)) ?? planEscalation(touched)
    case 'unresolved':
      return planEscalation(touched)
  }
}

export function resolutionOf(issue: TouchedIssue): Resolution {
  return {
    atMs: issue.resolvedAt?.getTime() ?? 0,
    // Null in rows of versions that did not know releases.
    in: issue.resolvedIn ?? 'now',
    release: issue.resolvedRelease,
    commit: issue.resolvedCommit,
  }
}

/** The releases of events that were received after the issue was resolved, the latest one first. */
export function releasesAfter({ issue, sum }: Touched): readonly ReleaseReceipt[] {
  const { atMs } = resolutionOf(issue)
  return sum.releases
    .filter(({ lastReceivedMs }) => atMs < lastReceivedMs)
    .sort((a, b) => b.lastReceivedMs - a.lastReceivedMs)
}

function planRegression(touched: Touched, known: KnownReleases): Transition | undefined {
  const resolution = resolutionOf(touched.issue)
  const found = releasesAfter(touched).find(({ version }) => reopens(resolution, version, known))
  if (found === undefined) return undefined
  return {
    issueId: touched.issue.id,
    atMs: found.lastReceivedMs,
    kind: 'regressed',
    data: {
      release: found.version || null,
      resolved_in: resolution.in,
      resolved_release: resolution.release,
    },
  }
}

function planReturn({ issue, sum }: Touched, users: number | undefined): Transition | undefined {
  const ended = endedCondition(issue, sum.lastReceivedMs, users)
  if (ended === undefined) return undefined
  return { issueId: issue.id, atMs: sum.lastReceivedMs, kind: 'returned', data: ended }
}

function endedCondition(
  issue: TouchedIssue,
  receivedMs: number,
  users: number | undefined,
): Ended | undefined {
  const { ignoredUntil, ignoredUntilCount, ignoredUntilUsers, count } = issue
  if (ignoredUntil !== null && ignoredUntil.getTime() <= receivedMs) {
    return { which: 'at', until: ignoredUntil.toISOString() }
  }
  if (ignoredUntilCount !== null && ignoredUntilCount <= count) {
    return { which: 'events', count, until: ignoredUntilCount }
  }
  if (ignoredUntilUsers !== null && users !== undefined && ignoredUntilUsers <= users) {
    return { which: 'users', count: users, until: ignoredUntilUsers }
  }
  return undefined
}

function planEscalation({ issue, sum }: Touched): Transition | undefined {
  const { hourLimit, expected, hourCount, hourAt, status } = issue
  if (hourLimit === null || hourCount <= hourLimit) return undefined
  if (status === 'ignored' && !issue.ignoredUntilEscalating) return undefined
  return {
    issueId: issue.id,
    atMs: sum.lastReceivedMs,
    kind: 'escalating',
    data: {
      hour: hourAt.toISOString(),
      count: hourCount,
      expected: expected ?? 0,
      limit: hourLimit,
    },
  }
}
