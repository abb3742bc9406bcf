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

export class OwnerRules {
  /** Last rule first. */
  readonly #rules: readonly CompiledRule[]

  constructor(text: string) {
    this.#rules = parseOwnership(text).rules.map(compileOwned).reverse()
  }

  /** Names of the owners, the first one that exists is meant; empty if nobody owns the event. */
  ownersOf(event: NormalizedEvent, budget: MatchBudget): readonly StoredText[] {
    const subjects = new EventSubjects(event)
    const found = this.#rules.find((rule) => rule.matches(subjects, budget))
    return found?.owners ?? []
  }
}

function compileOwned(rule: OwnershipRule): CompiledRule {
  return {
    owners: rule.owners.map((owner) => storedText(ownerName(owner))),
    matches: compileRule(rule),
  }
}
