/**
 * Remembers the users, or the names, of issues. Reading them costs more the more issues a project
 * has, and a page that is open reads its list again with every change.
 */

export interface CountedIssue {
  readonly id: string
  readonly hashes: readonly string[]
  /** All events, including those that are not stored any more. */
  readonly count: number
  readonly last_seen: Date
}

interface Entry<Sums> {
  readonly sums: Sums | undefined
  readonly hashes: string
  readonly count: number
  readonly readAtMs: number
  readonly isSettled: boolean
}

const issuesMax = 5_000
/** Events expire and are erased, which does not change the count of an issue. */
const ageMsMax = 5 * 60_000
/** A replica of ClickHouse may lack the newest events for a while. */
const settledMs = 60_000
/** A hundredth more events has at most a hundredth more users. */
const growthMax = 0.01
/** Fewer events are read again with each new one. */
const growingEventsMin = 1_000

export class IssueSumCache<Sums> {
  /** The issue that was read first comes first. */
  readonly #entries = new Map<string, Entry<Sums>>()

  /** Undefined if the sums have to be read; `sums` is undefined for an issue without events. */
  find(issue: CountedIssue, nowMs: number): { readonly sums: Sums | undefined } | undefined {
    const entry = this.findOlder(issue, nowMs)
    if (entry === undefined) return undefined
    const isSame = entry.isSettled && issue.count === entry.count
    const grown = Math.abs(issue.count - entry.count)
    const isClose = entry.count >= growingEventsMin && grown <= entry.count * growthMax
    return isSame || isClose ? entry : undefined
  }

  /** Like `find`, also if the issue has more events now, which the caller then adds. */
  findOlder(issue: CountedIssue, nowMs: number): Entry<Sums> | undefined {
    const entry = this.#entries.get(issue.id)
    if (entry === undefined || entry.hashes !== keyOf(issue.hashes)) return undefined
    return Math.abs(nowMs - entry.readAtMs) > ageMsMax ? undefined : entry
  }

  /** `issue` as it was before the sums were read: they contain at least its events. */
  keep(issue: CountedIssue, sums: Sums | undefined, nowMs: number): void {
    this.#entries.delete(issue.id)
    this.#entries.set(issue.id, {
      sums,
      hashes: keyOf(issue.hashes),
      count: issue.count,
      readAtMs: nowMs,
      isSettled: nowMs - issue.last_seen.getTime() > settledMs,
    })
    if (this.#entries.size <= issuesMax) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      break
    }
  }
}

/** Merged issues have other hashes; their order means nothing. */
function keyOf(hashes: readonly string[]): string {
  return [...hashes].sort().join()
}
