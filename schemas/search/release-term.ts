/**
 * Which releases a term means: `release:>=app@1.2`, `release.version:1.2..1.4`,
 * `release.build:>100`, `release:latest`. Versions compare as schemas/releases/compare-releases.ts
 * says.
 */
import {
  compareParsedReleases,
  type ParsedRelease,
  parseRelease,
} from '../releases/compare-releases.ts'
import { canonicalField } from './field-aliases.ts'
import { parseNumberRange } from './number-range.ts'
import {
  type FieldTerm,
  plainText,
  type SearchError,
  type SearchOperator,
  type SearchPattern,
} from './search-query.ts'

export const releasePartNames = [
  'release.version',
  'release.package',
  'release.build',
  'release.stage',
] as const
export const releaseStages = ['adopted', 'low', 'replaced'] as const
export type ReleaseStage = (typeof releaseStages)[number]

/** What a term asks beside the name of a release. */
export interface ReleaseFacts {
  /** Undefined if there is none. */
  readonly latest?: string | undefined
  readonly stageOf?: ((release: string) => ReleaseStage | undefined) | undefined
}

export type MatchesRelease = (
  release: string,
  parsed: ParsedRelease,
  facts: ReleaseFacts,
) => boolean

export interface ReleaseTerm {
  readonly kind: 'release'
  readonly needs: 'name' | 'latest' | 'stage'
  /** `parsed` is the release, parsed. The negation of the term is not looked at. */
  readonly matches: MatchesRelease
}

type TextMatcher = (text: string) => boolean

const partNames: ReadonlySet<string> = new Set(releasePartNames)
const latest = 'latest'

/** Whether the name alone does not answer the term, so that releases have to be compared. */
export function isAboutReleases({ field, isTag, operator, values }: FieldTerm): boolean {
  if (isTag) return false
  const name = canonicalField(field)
  if (partNames.has(name)) return true
  if (name !== 'release' && name !== 'first_release' && name !== 'last_release') return false
  return operator !== '=' || values.some((value) => plainText(value) === latest)
}

/** @param matcherOf compares texts as all fields do: with stars, regardless of case. */
export function compileReleaseTerm(
  term: FieldTerm,
  matcherOf: (pattern: SearchPattern) => TextMatcher,
): ReleaseTerm | SearchError {
  switch (canonicalField(term.field)) {
    case 'release.stage':
      return compileStage(term)
    case 'release.package':
      return ofText(term, matcherOf, ({ package: name }) => [name])
    case 'release.build':
      return compileBuild(term, matcherOf)
    case 'release.version':
      return compileVersion(term, matcherOf)
    default:
      return term.operator === '=' ? compileNames(term, matcherOf) : compileComparison(term, true)
  }
}

function compileNames(
  { values }: FieldTerm,
  matcherOf: (pattern: SearchPattern) => TextMatcher,
): ReleaseTerm {
  const matchers = values.flatMap((value) => (plainText(value) === latest ? [] : matcherOf(value)))
  const asksLatest = matchers.length < values.length
  return {
    kind: 'release',
    needs: asksLatest ? 'latest' : 'name',
    matches: (release, _, facts) =>
      (asksLatest && release === facts.latest) || matchers.some((matches) => matches(release)),
  }
}

function compileStage(term: FieldTerm): ReleaseTerm | SearchError {
  const wanted = term.values.map((value) => plainText(value) ?? '')
  const known: readonly string[] = releaseStages
  if (term.operator !== '=' || wanted.some((each) => !known.includes(each))) {
    return errorAt(term, `must be one of ${releaseStages.join(', ')} after ${term.field}:`)
  }
  return {
    kind: 'release',
    needs: 'stage',
    matches: (release, _, facts) => wanted.includes(facts.stageOf?.(release) ?? ''),
  }
}

function ofText(
  term: FieldTerm,
  matcherOf: (pattern: SearchPattern) => TextMatcher,
  textsOf: (parsed: ParsedRelease) => readonly string[],
): ReleaseTerm | SearchError {
  if (term.operator !== '=') {
    return errorAt(term, `must compare ${term.field} with a value alone: it is a text`)
  }
  const matchers = term.values.map(matcherOf)
  const matches: MatchesRelease = (_release, parsed) =>
    textsOf(parsed).some((text) => text !== '' && matchers.some((match) => match(text)))
  return { kind: 'release', needs: 'name', matches }
}

function compileBuild(
  term: FieldTerm,
  matcherOf: (pattern: SearchPattern) => TextMatcher,
): ReleaseTerm | SearchError {
  const isRange = term.values.some((value) => /^\d+\.\.\d+$/.test(plainText(value) ?? ''))
  if (term.operator === '=' && !isRange) return ofText(term, matcherOf, ({ build }) => [build])
  const range = parseNumberRange(term)
  if (range.kind === 'error') return range
  const matches: MatchesRelease = (_release, { build }) =>
    /^\d{1,15}$/.test(build) && range.from <= Number(build) && Number(build) <= range.to
  return { kind: 'release', needs: 'name', matches }
}

function compileVersion(
  term: FieldTerm,
  matcherOf: (pattern: SearchPattern) => TextMatcher,
): ReleaseTerm | SearchError {
  if (term.operator !== '=') return compileComparison(term, false)
  const [only, ...others] = term.values
  const [first = '', last, ...rest] = (only && plainText(only)?.split('..')) ?? []
  if (others.length > 0 || last === undefined || rest.length > 0) {
    return ofText(term, matcherOf, ({ version }) => [version, withoutBuild(version)])
  }
  const from = compileComparison(withValue(term, '>=', first), false)
  if (from.kind === 'error') return from
  const to = compileComparison(withValue(term, '<=', last), false)
  if (to.kind === 'error') return to
  return {
    ...from,
    matches: (...release) => from.matches(...release) && to.matches(...release),
  }
}

function withoutBuild(version: string): string {
  const plus = version.indexOf('+')
  return plus === -1 ? version : version.slice(0, plus)
}

/** Without a package the versions of all packages are compared. */
function compileComparison(term: FieldTerm, hasPackage: boolean): ReleaseTerm | SearchError {
  const text = term.values.length === 1 ? plainText(term.values[0]!) : undefined
  const wanted = text === undefined ? undefined : parseRelease(text)
  const isNamed = wanted !== undefined && wanted.package !== ''
  if (wanted === undefined || wanted.kind === 'other' || (isNamed && !hasPackage)) {
    const example = hasPackage ? 'app@1.2.0' : '1.2.0'
    return errorAt(term, `must have a version to compare with after ${term.field}:, as ${example}`)
  }
  const isIn = comparisons[term.operator]
  // `3` means 3.0 beside releases that have such versions.
  const bounds = wanted.kind === 'number' ? [wanted, parseRelease(`${text}.0`)] : [wanted]
  const matches: MatchesRelease = (_release, parsed) => {
    const compared = isNamed ? parsed : { ...parsed, package: '' }
    return bounds.some((bound) => {
      const order = compareParsedReleases(compared, bound)
      return order !== undefined && isIn(order)
    })
  }
  return { kind: 'release', needs: 'name', matches }
}

const comparisons: Readonly<Record<SearchOperator, (order: -1 | 0 | 1) => boolean>> = {
  '=': (order) => order === 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
}

function withValue(term: FieldTerm, operator: SearchOperator, text: string): FieldTerm {
  return { ...term, operator, values: [{ pieces: [text] }] }
}

function errorAt({ valuePosition, end }: FieldTerm, rule: string): SearchError {
  return { kind: 'error', position: valuePosition, end, rule }
}
