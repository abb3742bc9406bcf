/**
 * What a digest looks for in the events of a project beside their rows. It decides about no row, so
 * no plan holds it, and a repeated range may use newer rules.
 */

import { MatchBudget } from '#platform/ownership/match-budget.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { StoredText } from '#schemas/stored-text.ts'
import { userIdentity } from '../alerts/filters/event-text.ts'
import type { SumContext } from '../digest/issue-sums.ts'
import type { EventUser, NormalizedEvent } from '../normalize/event.ts'
import { userHash } from '../release-health/user-hash.ts'
import { OwnerRules } from './owner-rules.ts'

export interface IssueRules {
  readonly projectId: ProjectId
  /** Ownership rules as people wrote them; empty if there are none. */
  readonly ownership: string
  /** An issue is ignored until so many users have its error. */
  readonly countsUsers: boolean
}

const keptMax = 256
const kept = new Map<string, OwnerRules>()

export class IssueRulesByProject {
  readonly #rules: ReadonlyMap<ProjectId, IssueRules>
  readonly #budget = new MatchBudget()

  constructor(rules: readonly IssueRules[]) {
    this.#rules = new Map(rules.map((each) => [each.projectId, each]))
  }

  contextOf(projectId: ProjectId, event: NormalizedEvent, sampled: 0 | 1): SumContext {
    const rules = this.#rules.get(projectId)
    if (rules === undefined) return { sampled }
    const { ownership, countsUsers } = rules
    return {
      sampled,
      ...(countsUsers ? { user: hashOf(projectId, event.user) } : {}),
      ...(ownership === '' ? {} : { owners: () => this.#ownersOf(ownership, event) }),
    }
  }

  #ownersOf(ownership: string, event: NormalizedEvent): readonly StoredText[] {
    const known = kept.get(ownership)
    const rules = known ?? new OwnerRules(ownership)
    if (known === undefined) {
      if (kept.size >= keptMax) kept.clear()
      kept.set(ownership, rules)
    }
    return rules.ownersOf(event, this.#budget)
  }
}

function hashOf(projectId: ProjectId, user: EventUser): number | undefined {
  const identity = userIdentity(user)
  return identity === '' ? undefined : userHash(projectId, identity)
}
