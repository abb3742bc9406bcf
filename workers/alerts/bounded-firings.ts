/** The firings of one commit. A storm has a bounded number of rows, and all of it is counted. */
import type { IssueFiring } from './firing.ts'

/** Firings of one rule in one commit with a row of their own. */
export const firingsPerRuleMax = 500

export class BoundedFirings {
  readonly #commit: string
  readonly #rows: IssueFiring[] = []
  readonly #countOf = new Map<string, number>()
  readonly #further = new Map<string, { readonly last: IssueFiring; readonly more: number }>()

  /** @param commit names the commit, the same for every attempt. */
  constructor(commit: string) {
    this.#commit = commit
  }

  add(firing: IssueFiring): void {
    const count = (this.#countOf.get(firing.ruleId) ?? 0) + 1
    this.#countOf.set(firing.ruleId, count)
    if (count <= firingsPerRuleMax) this.#rows.push(firing)
    else this.#further.set(firing.ruleId, { last: firing, more: count - firingsPerRuleMax })
  }

  list(): readonly IssueFiring[] {
    const further = [...this.#further.values()].map(
      ({ last, more }): IssueFiring => ({
        ...last,
        issueId: null,
        eventId: null,
        reason: `${more} more issues at the same time.`,
        data: { more },
        cause: `more:${this.#commit}`,
      }),
    )
    return [...this.#rows, ...further]
  }
}
