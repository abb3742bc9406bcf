/** Compiles an ownership rule. Workers match it with events, the API with what a person tries. */
import { compileGlob } from '#platform/text/glob.ts'
import type { OwnershipRule } from '#schemas/ownership/parse-ownership.ts'
import type { MatchBudget } from './match-budget.ts'
import { compilePath, matchPath } from './match-path.ts'

/** What rules look at. */
export interface OwnershipSubjects {
  /** Each as its names (match-path.ts). */
  readonly paths: readonly (readonly string[])[]
  readonly modules: readonly string[]
  readonly urls: readonly string[]
  /** The values of the tag. */
  tag(key: string): readonly string[]
}

/** Longer texts match by their beginning. */
const textCharactersMax = 1_000

export type RuleMatcher = (subjects: OwnershipSubjects, budget: MatchBudget) => boolean

export function compileRule({
  subject,
  pattern,
}: Pick<OwnershipRule, 'subject' | 'pattern'>): RuleMatcher {
  if (subject.kind === 'path') {
    const path = compilePath(pattern)
    return ({ paths }, budget) => paths.some((names) => matchPath(path, names, budget))
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
