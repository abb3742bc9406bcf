/**
 * Burst protection: within an hour, one kind of error can create `newIssuesPerHourMax` issues in a
 * project; further errors of the kind are grouped coarsely. Issues are counted by the hour in which
 * their events were received, so events that are digested late count for their hour. It only
 * decides: the caller reads the counts under the lock for issue creation, and adds to them
 * afterwards.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueSum } from '../digest/issue-sums.ts'

export const newIssuesPerHourMax = 200
const msPerHour = 3_600_000

export interface BurstKey {
  readonly projectId: ProjectId
  readonly hour: number
  readonly kind: string
}

export function burstKeyOf({ projectId, lastReceivedMs, coarse }: IssueSum): BurstKey {
  return { projectId, hour: burstHour(lastReceivedMs), kind: coarse.kind }
}

/** Hours since 1970. */
export function burstHour(receivedAtMs: number): number {
  return Math.floor(receivedAtMs / msPerHour)
}

export function burstName({ projectId, hour, kind }: BurstKey): string {
  return `${projectId} ${hour} ${kind}`
}

export class BurstGate {
  readonly #counts: Map<string, number>
  readonly #made = new Map<string, BurstKey & { count: number }>()

  /** @param counts by `burstName`; an absent one is 0. */
  constructor(counts: ReadonlyMap<string, number>) {
    this.#counts = new Map(counts)
  }

  /** Returns true when the sum creates an issue of its own, and counts it. */
  passes(sum: IssueSum): boolean {
    const key = burstKeyOf(sum)
    const name = burstName(key)
    const count = this.#counts.get(name) ?? 0
    if (count >= newIssuesPerHourMax) return false
    this.#counts.set(name, count + 1)
    const made = this.#made.get(name)
    if (made === undefined) this.#made.set(name, { ...key, count: 1 })
    else made.count += 1
    return true
  }

  made(): readonly (BurstKey & { readonly count: number })[] {
    return [...this.#made.values()]
  }
}
