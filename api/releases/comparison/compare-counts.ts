/** Which issues differ between two releases. Pure. */

/** Fewer events say little about how frequent an issue is. */
const eventsMin = 5
const factorMin = 1.5

export interface IssueCounts {
  readonly issueId: string
  readonly base: number
  readonly head: number
}

export interface Compared extends IssueCounts {
  readonly factor: number | null
}

export interface Comparison {
  readonly newIssues: readonly Compared[]
  readonly absentIssues: readonly Compared[]
  readonly moreFrequent: readonly Compared[]
}

/** @param scales what the events of each release are divided by, above 0 */
export function compareCounts(
  issues: readonly IssueCounts[],
  scales: { readonly base: number; readonly head: number },
): Comparison {
  const factorOf = ({ base, head }: IssueCounts) =>
    base === 0 || head === 0 ? null : head / scales.head / (base / scales.base)
  const all = issues.map((issue) => ({ ...issue, factor: factorOf(issue) }))
  return {
    newIssues: sorted(
      all.filter(({ base, head }) => base === 0 && head > 0),
      ({ head }) => head,
    ),
    absentIssues: sorted(
      all.filter(({ base, head }) => head === 0 && base > 0),
      ({ base }) => base,
    ),
    moreFrequent: sorted(
      all.filter(({ head, factor }) => factor !== null && factor >= factorMin && head >= eventsMin),
      ({ head }) => head,
    ),
  }
}

function sorted(issues: readonly Compared[], rank: (issue: Compared) => number): Compared[] {
  return issues.toSorted(
    (one, other) => rank(other) - rank(one) || (one.issueId < other.issueId ? -1 : 1),
  )
}
