/**
 * The matchers of grouping rules: `key:glob`, or `!key:glob` for events or frames that do not
 * match. `*` stands for any characters and `?` for one; in `path` and `package` these two stop at a
 * slash, and `**` does not. Upper and lower case are the same.
 */
import { shortened } from '../stored-text.ts'
import { RuleError, type RuleWord } from './rule-words.ts'

export const globCharactersMax = 200
export const matchersPerRuleMax = 10
const tagKeyCharactersMax = 200
const shownCharactersMax = 60

export const frameKeys = ['function', 'module', 'path', 'package', 'app'] as const
export const exceptionKeys = ['type', 'value', 'mechanism'] as const
export const eventKeys = [
  'message',
  'level',
  'logger',
  'release',
  'environment',
  'transaction',
  'sdk',
] as const

export type FrameKey = (typeof frameKeys)[number]
export type ExceptionKey = (typeof exceptionKeys)[number]
export type EventKey = (typeof eventKeys)[number]

/** What a matcher looks at. */
export type MatcherSubject =
  | { readonly kind: 'frame'; readonly key: FrameKey }
  | { readonly kind: 'exception'; readonly key: ExceptionKey }
  | { readonly kind: 'event'; readonly key: EventKey }
  | { readonly kind: 'family' }
  | { readonly kind: 'tag'; readonly key: string }

export interface RuleMatcher {
  readonly subject: MatcherSubject
  readonly isNegated: boolean
  /** In lower case; of `family` several, of which one must match. */
  readonly globs: readonly string[]
}

const otherNames: ReadonlyMap<string, string> = new Map([
  ['error.type', 'type'],
  ['error.value', 'value'],
  ['error.mechanism', 'mechanism'],
  ['stack.function', 'function'],
  ['stack.module', 'module'],
  ['stack.abs_path', 'path'],
  ['stack.package', 'package'],
  ['stack.in_app', 'app'],
  ['in_app', 'app'],
])

/** Names of groups of platforms, and of platforms. */
export const families: ReadonlySet<string> = new Set(
  (
    'javascript python jvm php ruby csharp native go other node java kotlin android scala groovy ' +
    'clojure dotnet cocoa objc swift rust c cpp dart elixir perl'
  ).split(' '),
)

const yes: ReadonlySet<string> = new Set(['yes', 'true', '1'])
const no: ReadonlySet<string> = new Set(['no', 'false', '0'])

export const allKeys: readonly string[] = [
  ...exceptionKeys,
  ...frameKeys,
  'family',
  ...eventKeys,
  'tags.NAME',
]
export const stackKeys: readonly string[] = [...frameKeys, ...exceptionKeys, 'family']

/** Throws a RuleError that says what is wrong and how to write it. */
export function parseMatcher(word: RuleWord, keys: readonly string[]): RuleMatcher {
  const isNegated = word.text.startsWith('!')
  const start = isNegated ? 1 : 0
  const colon = word.text.indexOf(':', start)
  const at = word.at + start
  if (colon === -1 || word.isQuoted) {
    throw new RuleError(
      word.at,
      `a matcher has the form key:glob, as in type:TimeoutError, and not "${short(word.text)}"`,
    )
  }
  const name = word.text.slice(start, colon)
  const subject = subjectOf(name, at, keys)
  const glob = word.text.slice(colon + 1).toLowerCase()
  const globAt = word.at + colon + 1
  if (glob === '') throw new RuleError(globAt, `${short(name)} needs a glob, such as ${name}:*`)
  if (glob.length > globCharactersMax) {
    throw new RuleError(globAt, `a glob has at most ${globCharactersMax} characters`)
  }
  return { subject, isNegated, globs: globsOf(subject, glob, globAt) }
}

function subjectOf(name: string, at: number, keys: readonly string[]): MatcherSubject {
  if (name.startsWith('tags.') && keys.includes('tags.NAME')) {
    const key = name.slice('tags.'.length)
    if (key === '' || key.length > tagKeyCharactersMax) {
      throw new RuleError(
        at,
        `tags. needs the key of a tag, up to ${tagKeyCharactersMax} characters`,
      )
    }
    return { kind: 'tag', key }
  }
  const key = otherNames.get(name) ?? name
  if (!keys.includes(key)) {
    const known = allKeys.includes(key) || name.startsWith('tags.')
    throw new RuleError(
      at,
      known
        ? `${short(name)} cannot be used in stack-trace rules, but: ${keys.join(', ')}`
        : `"${short(name)}" is no matcher; there are: ${keys.join(', ')}`,
    )
  }
  if (key === 'family') return { kind: 'family' }
  const isOf = <Key extends string>(names: readonly Key[]): boolean =>
    (names as readonly string[]).includes(key)
  if (isOf(frameKeys)) return { kind: 'frame', key: key as FrameKey }
  if (isOf(exceptionKeys)) return { kind: 'exception', key: key as ExceptionKey }
  return { kind: 'event', key: key as EventKey }
}

function globsOf(subject: MatcherSubject, glob: string, at: number): readonly string[] {
  if (subject.kind === 'frame' && subject.key === 'app') {
    if (yes.has(glob)) return ['yes']
    if (no.has(glob)) return ['no']
    throw new RuleError(at, 'app is yes or no')
  }
  if (subject.kind !== 'family') return [glob]
  const named = glob.split(',').filter((name) => name !== '')
  const unknown = named.find((name) => !families.has(name))
  if (unknown !== undefined || named.length === 0) {
    throw new RuleError(
      at,
      `"${short(unknown ?? '')}" is no family; there are: ${[...families].join(', ')}`,
    )
  }
  return named
}

export function short(text: string): string {
  return shortened(text, shownCharactersMax)
}
