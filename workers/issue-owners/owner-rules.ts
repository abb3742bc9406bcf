/** The ownership rules of a project, compiled. The last rule that matches an event decides. */
import { compileRule, type RuleMatcher } from '#platform/ownership/compile-rule.ts'
import type { MatchBudget } from '#platform/ownership/match-budget.ts'
import {
  type OwnershipRule,
  ownerName,
  parseOwnership,
} from '#schemas/ownership/parse-ownership.ts'
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { EventSubjects } from './event-subjects.ts'

interface CompiledRule {
  readonly owners: readonly StoredText[]
  readonly matches: RuleMatcher
}

/** Reading the paths of an event. */
const subjectSteps = 1_000

export class OwnerRules {
  /** Last rule first. */
  readonly #rules: readonly CompiledRule[]

  constructor(text: string) {
    this.#rules = parseOwnership(text).rules.map(compileOwned).reverse()
  }

  /** Names of the owners, the first one that exists is meant; empty if nobody owns the event. */
  ownersOf(event: NormalizedEvent, budget: MatchBudget): readonly StoredText[] {
    if (!budget.spend(subjectSteps)) return []
    const subjects = new EventSubjects(event)
    for (const rule of this.#rules) {
      if (!budget.spend(1)) return []
      if (rule.matches(subjects, budget)) return rule.owners
    }
    return []
  }
}

function compileOwned(rule: OwnershipRule): CompiledRule {
  return {
    owners: rule.owners.map((owner) => storedText(ownerName(owner))),
    matches: compileRule(rule),
  }
}
