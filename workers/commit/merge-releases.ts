/**
 * Merges the counts of a range's events and sessions by release: one row per release, ordered by
 * key.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { ReleaseSum } from '../digest/issue-sums.ts'
import type { SessionRelease } from '../release-health/session-tally.ts'

export interface ReleaseChange {
  readonly projectId: ProjectId
  readonly version: string
  readonly firstEventMs: number | null
  readonly lastEventMs: number | null
  readonly eventCount: number
  readonly firstSessionMs: number | null
  readonly lastSessionMs: number | null
}

export function mergeReleases(
  events: readonly ReleaseSum[],
  sessions: readonly SessionRelease[],
): ReleaseChange[] {
  const changes = new Map<string, ReleaseChange>()
  for (const { projectId, version, ...sum } of events) {
    const heard = { firstSessionMs: null, lastSessionMs: null }
    changes.set(`${projectId} ${version}`, { projectId, version, ...sum, ...heard })
  }
  for (const { projectId, version, firstSecond, lastSecond } of sessions) {
    const name = `${projectId} ${version}`
    const change = changes.get(name) ?? { projectId, version, ...noEvents }
    const heard = { firstSessionMs: firstSecond * 1000, lastSessionMs: lastSecond * 1000 }
    changes.set(name, { ...change, ...heard })
  }
  return [...changes.values()].sort(
    (a, b) => a.projectId - b.projectId || (a.version < b.version ? -1 : 1),
  )
}

const noEvents = { firstEventMs: null, lastEventMs: null, eventCount: 0 }
