/**
 * Finds regular expressions whose worst case is worse than linear: two unbounded loops that can
 * divide a run of characters between them in many ways. An unanchored search counts as a loop over
 * all characters before the pattern, because the engine restarts at every position. It also finds
 * loops over alternatives that can start with the same character; `scslre` adds nested loops. May
 * report an expression that is in fact linear.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import {
  Chars,
  getConsumedChars,
  getFirstConsumedChar,
  hasSomeDescendant,
  isPotentiallyEmpty,
  type ReadonlyFlags,
  toUnicodeSet,
} from 'regexp-ast-analysis'
import { analyse } from 'scslre'

/** A loop with a higher bound counts as unbounded. */
const repeatsMax = 1_000
const pathsMax = 5_000

type CharSet = ReturnType<typeof getConsumedChars>['chars']

/** The steps of one path through a pattern, in order. */
type Step =
  | {
      readonly kind: 'loop'
      readonly chars: CharSet
      /** Every repetition of the loop contains a character of each of these sets. */
      readonly required: readonly CharSet[]
      readonly min: number
      readonly text: string
    }
  | { readonly kind: 'chars'; readonly chars: CharSet; readonly isOptional: boolean }
  /** `holdsWithin`: whether it can hold between two characters of a run of these. */
  | { readonly kind: 'assertion'; readonly holdsWithin: (run: CharSet) => boolean }

/** One sentence per finding; empty if the expression is linear. */
export function findSlowLoops({ source, flags }: { source: string; flags: string }): string[] {
  const parser = new RegExpParser()
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const parsed = parser.parseFlags(flags)
  const found = new Set<string>()
  for (const path of pathsThrough(pattern.alternatives, parsed)) {
    for (const finding of slowPairs(withSearch(path, pattern, parsed))) found.add(finding)
  }
  for (const { type, quant } of reportsOf(source, flags)) {
    found.add(`${type} in ${quant}`)
  }
  for (const loop of loopsOverAlike(pattern, parsed)) found.add(`alternatives overlap in ${loop}`)
  return [...found]
}

function loopsOverAlike(pattern: AST.Pattern, flags: ReadonlyFlags): string[] {
  const loops: string[] = []
  hasSomeDescendant(pattern, (node) => {
    if (node.type !== 'Quantifier' || node.max <= repeatsMax) return false
    if (hasSomeDescendant(node, (inner) => isChoice(inner) && isAlike(inner.alternatives, flags))) {
      loops.push(node.raw)
    }
    return false
  })
  return loops
}

function isChoice(node: AST.Node): node is AST.Group | AST.CapturingGroup {
  return node.type === 'Group' || node.type === 'CapturingGroup'
}

/** Whether two of the alternatives can start with the same character. */
function isAlike(alternatives: readonly AST.Alternative[], flags: ReadonlyFlags): boolean {
  const firsts = alternatives.map((one) => getFirstConsumedChar(one, 'ltr', flags).char)
  return firsts.some((chars, index) =>
    firsts.slice(index + 1).some((others) => !chars.isDisjointWith(others)),
  )
}

function reportsOf(source: string, flags: string): { type: string; quant: string }[] {
  return analyse({ source, flags }).reports.map((report) => ({
    type: report.exponential ? `exponential ${report.type}` : report.type,
    quant: report.type === 'Trade' ? report.startQuant.raw : report.quant.raw,
  }))
}

function slowPairs(path: readonly Step[]): string[] {
  const found: string[] = []
  path.forEach((second, end) => {
    if (second.kind !== 'loop' || !canFail(path.slice(end + 1))) return
    path.slice(0, end).forEach((first, start) => {
      if (first.kind !== 'loop') return
      const shared = first.chars.intersect(second.chars)
      if (shared.isEmpty) return
      const required = [...first.required, ...second.required]
      if (required.some((chars) => chars.isDisjointWith(shared))) return
      const isShared = path.slice(start + 1, end).every((step) => canBeWithin(step, shared))
      if (isShared) found.push(`${first.text} and ${second.text} can share characters`)
    })
  })
  return found
}

function canBeWithin(step: Step, run: CharSet): boolean {
  switch (step.kind) {
    case 'assertion':
      return step.holdsWithin(run)
    case 'chars':
      return step.isOptional || !step.chars.isDisjointWith(run)
    case 'loop':
      return step.min === 0 || !step.chars.isDisjointWith(run)
  }
}

function canFail(rest: readonly Step[]): boolean {
  return rest.some((step) => {
    if (step.kind === 'assertion') return true
    return step.kind === 'loop' ? 0 < step.min : !step.isOptional
  })
}

/** An unanchored pattern is tried at every position, which counts as one more loop. */
function withSearch(path: readonly Step[], pattern: AST.Pattern, flags: AST.Flags): Step[] {
  const all = Chars.all(flags)
  const search: Step = { kind: 'loop', chars: all, required: [], min: 0, text: 'the search' }
  return flags.sticky || pattern.alternatives.length === 0 ? [...path] : [search, ...path]
}

function pathsThrough(alternatives: readonly AST.Alternative[], flags: ReadonlyFlags): Step[][] {
  return alternatives.flatMap(({ elements }) => {
    let paths: Step[][] = [[]]
    for (const element of elements) {
      const next = stepsOf(element, flags)
      paths = paths.flatMap((path) => next.map((steps) => [...path, ...steps]))
      if (paths.length > pathsMax) throw new Error('the pattern has too many paths to check')
    }
    return paths
  })
}

function stepsOf(element: AST.Element, flags: ReadonlyFlags): Step[][] {
  switch (element.type) {
    case 'Assertion':
      return assertionSteps(element, flags)
    case 'Quantifier':
      return quantifierSteps(element, flags)
    case 'Group':
    case 'CapturingGroup':
      if (isPlain(element)) return [[charsStep(element, flags)]]
      return pathsThrough(element.alternatives, flags)
    default:
      return [[charsStep(element, flags)]]
  }
}

/** Whether the element has neither loops nor assertions. */
function isPlain(element: AST.Element): boolean {
  return !hasSomeDescendant(
    element as AST.Group,
    (node) => (node.type === 'Quantifier' && repeatsMax < node.max) || node.type === 'Assertion',
  )
}

function charsStep(element: AST.Element, flags: ReadonlyFlags): Step {
  return {
    kind: 'chars',
    chars: getConsumedChars(element, flags).chars,
    isOptional: isPotentiallyEmpty(element, flags),
  }
}

function quantifierSteps(quantifier: AST.Quantifier, flags: ReadonlyFlags): Step[][] {
  const { element, min, max } = quantifier
  if (repeatsMax < max) {
    const { chars } = getConsumedChars(element, flags)
    return [
      [{ kind: 'loop', chars, required: requiredIn(element, flags), min, text: quantifier.raw }],
    ]
  }
  if (isPlain(quantifier)) return [[charsStep(quantifier, flags)]]
  const inner = stepsOf(element, flags)
  return min === 0 ? [...inner, []] : inner
}

function requiredIn(element: AST.QuantifiableElement, flags: ReadonlyFlags): CharSet[] {
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return []
  const [only, ...others] = element.alternatives
  if (only === undefined || 0 < others.length) return []
  return only.elements
    .filter((part) => part.type !== 'Assertion' && !isPotentiallyEmpty(part, flags))
    .map((part) => getConsumedChars(part, flags).chars)
}

function assertionSteps(assertion: AST.Assertion, flags: ReadonlyFlags): Step[][] {
  switch (assertion.kind) {
    case 'start':
    case 'end': {
      const breaks = flags.multiline ? Chars.lineTerminator(flags) : undefined
      const holdsWithin = (run: CharSet) => breaks !== undefined && !run.isDisjointWith(breaks)
      return [[{ kind: 'assertion', holdsWithin }]]
    }
    case 'word': {
      const word = Chars.word(flags)
      const holdsWithin = (run: CharSet) =>
        assertion.negate || !(run.isSubsetOf(word) || run.isDisjointWith(word))
      return [[{ kind: 'assertion', holdsWithin }]]
    }
    case 'lookbehind':
      return [[{ kind: 'assertion', holdsWithin: lookbehindWithin(assertion, flags) }]]
    case 'lookahead': {
      // The loops of a lookahead run on their own, and matching continues where the lookahead
      // started.
      const inside = pathsThrough(assertion.alternatives, flags)
      const after: Step = { kind: 'assertion', holdsWithin: () => true }
      return [[after], ...inside.map((path) => [...path, after])]
    }
  }
}

/** Exact for a lookbehind of one character. A longer one is assumed to match anywhere. */
function lookbehindWithin(
  assertion: AST.LookbehindAssertion,
  flags: ReadonlyFlags,
): (run: CharSet) => boolean {
  const sets = assertion.alternatives.map(({ elements: [only, ...others] }) => {
    const isOne = only?.type === 'Character' || only?.type === 'CharacterClass'
    const isSet = isOne || only?.type === 'CharacterSet'
    return isSet && others.length === 0 ? toUnicodeSet(only, flags).chars : undefined
  })
  return (run) => {
    if (sets.includes(undefined)) return true
    const named = sets as CharSet[]
    return assertion.negate
      ? named.every((set) => !run.isSubsetOf(set))
      : named.some((set) => !run.isDisjointWith(set))
  }
}
