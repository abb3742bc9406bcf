/**
 * What a digest looks for in the events of a project beside their rows. It decides about no row, so
 * no plan holds it, and a repeated range may use newer rules.
 */

import { MatchBudget, matchPoolSteps, matchShare } from '#platform/ownership/match-budget.ts'
import { PooledSteps, StepPool } from '#platform/text/step-pool.ts'
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

/** Of all texts whose compiled rules are kept. Those of a text take several times its size. */
const keptCharactersMax = 16_000_000
const kept = new Map<string, OwnerRules>()
let keptCharacters = 0
/** For each character of the text. */
const compileSteps = 8

function compiled(ownership: string, budget: MatchBudget): OwnerRules | undefined {
  const known = kept.get(ownership)
  if (known !== undefined) return known
  if (!budget.spend(ownership.length * compileSteps)) return undefined
  keptCharacters += ownership.length
  if (keptCharacters > keptCharactersMax) {
    kept.clear()
    keptCharacters = ownership.length
  }
  const rules = new OwnerRules(ownership)
  kept.set(ownership, rules)
  return rules
}

export class IssueRulesByProject {
  readonly #rules: ReadonlyMap<ProjectId, IssueRules>
  readonly #budgets = new Map<ProjectId, MatchBudget>()
  readonly #pool = new StepPool(matchPoolSteps)

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
      ...(ownership === '' ? {} : { owners: () => this.#ownersOf(rules, event) }),
    }
  }

  #ownersOf({ projectId, ownership }: IssueRules, event: NormalizedEvent): readonly StoredText[] {
    const budget = this.#budgetOf(projectId)
    return compiled(ownership, budget)?.ownersOf(event, budget) ?? []
  }

  #budgetOf(projectId: ProjectId): MatchBudget {
    const known = this.#budgets.get(projectId)
    if (known !== undefined) return known
    const budget = new MatchBudget(new PooledSteps(this.#pool, matchShare))
    this.#budgets.set(projectId, budget)
    return budget
  }
}

function hashOf(projectId: ProjectId, user: EventUser): number | undefined {
  const identity = userIdentity(user)
  return identity === '' ? undefined : userHash(projectId, identity)
}
