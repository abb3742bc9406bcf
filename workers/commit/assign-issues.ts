/**
 * Decides which issue each sum of a range belongs to, given the owners of the hashes. The first
 * hash with an owner wins; hashes without one are attached to the same issue; where no hash has an
 * owner, an issue is created. It only decides: the caller has read the owners under a lock and
 * writes the result.
 */
import type { ProjectId } from '#schemas/ids.ts'
import {
  type IssueSum,
  type ReleaseReceipt,
  receivedHour,
  releasesPerSumMax,
  usersPerSumMax,
} from '../digest/issue-sums.ts'

export interface IssueChange {
  readonly issueId: string
  readonly isNew: boolean
  readonly sum: IssueSum
}

export interface HashClaim {
  readonly projectId: ProjectId
  readonly hash: string
  readonly issueId: string
  readonly explanation: string
}

/**
 * The issue in which the events of a sum count. All of them count by the sum's first hash, which
 * that issue owns or gets.
 */
export interface CountedSum {
  readonly issueId: string
  readonly sum: IssueSum
}

export interface Assignment {
  /** One per issue, ordered by issue id: two commits lock the same rows in the same order. */
  readonly changes: readonly IssueChange[]
  /** One per sum, in the order of the input. */
  readonly counted: readonly CountedSum[]
  readonly claims: readonly HashClaim[]
}

export function ownerKey(projectId: number, hash: string): string {
  return `${projectId} ${hash}`
}

/**
 * @param owners issue id by `ownerKey`. @param newIssueId called once for each new issue. @param
 * mayMakeIssue called once for each sum that would create one; if it returns false, the sum goes to
 * the issue of its kind, whose coarse hash has an owner or gets one.
 */
export function assignIssues(
  sums: readonly IssueSum[],
  owners: ReadonlyMap<string, string>,
  newIssueId: () => string,
  mayMakeIssue: (sum: IssueSum) => boolean = () => true,
): Assignment {
  const known = new Map(owners)
  const changes = new Map<string, IssueChange>()
  const counted: CountedSum[] = []
  const claims: HashClaim[] = []
  for (const sum of sums) {
    const { projectId } = sum
    const owned = sum.hashes.find(({ hash }) => known.has(ownerKey(projectId, hash)))
    const isHeld = owned === undefined && !mayMakeIssue(sum)
    const { hash: coarse } = sum.coarse
    const owner = known.get(ownerKey(projectId, owned?.hash ?? (isHeld ? coarse : '')))
    const issueId = owner ?? newIssueId()
    const { explanation } = isHeld ? sum.coarse : sum
    const claimed = sum.hashes.map(({ hash }) => hash)
    for (const hash of isHeld ? [...claimed, coarse] : claimed) {
      const key = ownerKey(projectId, hash)
      if (known.has(key)) continue
      known.set(key, issueId)
      claims.push({ projectId, hash, issueId, explanation })
    }
    counted.push({ issueId, sum })
    const before = changes.get(issueId)
    changes.set(issueId, {
      issueId,
      isNew: before?.isNew ?? owner === undefined,
      sum: before === undefined ? sum : joinSums(before.sum, sum),
    })
  }
  const inOrder = [...changes.values()].sort((a, b) => (a.issueId < b.issueId ? -1 : 1))
  return { changes: inOrder, counted, claims }
}

/**
 * Joins two sums of one issue: counts are added, times span both, and the later sum names the
 * issue.
 */
function joinSums(a: IssueSum, b: IssueSum): IssueSum {
  const earlier = a.firstSeenMs <= b.firstSeenMs ? a : b
  const later = a.lastSeenMs > b.lastSeenMs ? a : b
  return {
    ...later,
    eventCount: a.eventCount + b.eventCount,
    sampledCount: a.sampledCount + b.sampledCount,
    firstSeenMs: earlier.firstSeenMs,
    // Not every event names its release, so the earliest sum that has one decides.
    firstRelease: earlier.firstRelease || (earlier === a ? b : a).firstRelease,
    lastRelease: later.lastRelease || (later === a ? b : a).lastRelease,
    lastReceivedMs: Math.max(a.lastReceivedMs, b.lastReceivedMs),
    hourCount: joinHours(a, b),
    releases: joinReleases(a.releases, b.releases),
    users: [...new Set([...a.users, ...b.users])].slice(0, usersPerSumMax),
    owners: a.owners.length > 0 ? a.owners : b.owners,
    // Those of both sums: the commit adds what counts.
    matches: [...a.matches, ...b.matches],
  }
}

function joinHours(a: IssueSum, b: IssueSum): number {
  const [hourOfA, hourOfB] = [receivedHour(a.lastReceivedMs), receivedHour(b.lastReceivedMs)]
  if (hourOfA === hourOfB) return a.hourCount + b.hourCount
  return hourOfA > hourOfB ? a.hourCount : b.hourCount
}

function joinReleases(
  a: readonly ReleaseReceipt[],
  b: readonly ReleaseReceipt[],
): readonly ReleaseReceipt[] {
  const joined = new Map(a.map((receipt) => [receipt.version, receipt]))
  for (const receipt of b) {
    const known = joined.get(receipt.version)
    if (
      known !== undefined
        ? known.lastReceivedMs < receipt.lastReceivedMs
        : joined.size < releasesPerSumMax
    )
      joined.set(receipt.version, receipt)
  }
  return [...joined.values()]
}
