/** The ownership rules of a project, compiled. The last rule that matches an event decides. */
import {
  type OwnershipRule,
  ownerName,
  parseOwnership,
} from '#schemas/ownership/parse-ownership.ts'
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import { compileGlob } from '../filters/glob.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { EventSubjects } from './event-subjects.ts'
import type { MatchBudget } from './match-budget.ts'
import { compilePath, matchPath } from './match-path.ts'

/** Longer texts match by their beginning. */
const textCharactersMax = 1_000

interface CompiledRule {
  readonly owners: readonly StoredText[]
  readonly matches: (subjects: EventSubjects, budget: MatchBudget) => boolean
}

export class OwnerRules {
  /** Last rule first. */
  readonly #rules: readonly CompiledRule[]

  constructor(text: string) {
    this.#rules = parseOwnership(text).rules.map(compileRule).reverse()
  }

  /** Names of the owners, the first one that exists is meant; empty if nobody owns the event. */
  ownersOf(event: NormalizedEvent, budget: MatchBudget): readonly StoredText[] {
    const subjects = new EventSubjects(event)
    const found = this.#rules.find((rule) => rule.matches(subjects, budget))
    return found?.owners ?? []
  }
}

function compileRule(rule: OwnershipRule): CompiledRule {
  return {
    owners: rule.owners.map((owner) => storedText(ownerName(owner))),
    matches: compileSubject(rule),
  }
}

function compileSubject({ subject, pattern }: OwnershipRule): CompiledRule['matches'] {
  if (subject.kind === 'path') {
    const path = compilePath(pattern)
    const required = path.filter((name) => !/[*?]/.test(name))
    // Most rules end here: no path has a folder of this name.
    return ({ paths, pathNames }, budget) =>
      budget.spend(1 + required.length) &&
      required.every((name) => pathNames.has(name)) &&
      paths.some((names) => matchPath(path, names, budget))
  }
  const glob = compileGlob(pattern)
  const some = (texts: readonly string[], budget: MatchBudget) =>
    texts.some((text) => {
      const read = text.slice(0, textCharactersMax)
      return budget.spend(read.length + pattern.length) && glob(read)
    })
  switch (subject.kind) {
    case 'module':
      return ({ modules }, budget) => some(modules, budget)
    case 'url':
      return ({ urls }, budget) => some(urls, budget)
    case 'tag':
      return (subjects, budget) => some(subjects.tag(subject.key), budget)
  }
}
