/**
 * Fingerprint rules of a project, one a line: matchers, `->`, and the parts of the fingerprint that
 * events get whose matchers all hold. The first rule that matches decides.
 *
 *   # a comment
 *   type:DatabaseUnavailable                     -> database-down
 *   type:ConnectionError value:"*timed out*"     -> timeout, {{ transaction }}
 *   logger:audit.* !level:error                  -> {{ default }}, {{ tags.tenant }}
 *   path:**\/payments/** type:*Error             -> payments title="Payment: {{ error.type }}"
 */
import {
  allKeys,
  matchersPerRuleMax,
  parseMatcher,
  type RuleMatcher,
  short,
} from './rule-matcher.ts'
import { type ParsedRules, parseLines, type RuleLine } from './rule-text.ts'
import { RuleError, type RuleWord, ruleWords } from './rule-words.ts'

export interface FingerprintRule extends RuleLine {
  readonly matchers: readonly RuleMatcher[]
  readonly parts: readonly FingerprintPart[]
  /** Texts and variables in order; undefined: the usual title. */
  readonly title: readonly FingerprintPart[] | undefined
}

export type FingerprintPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `default`, `tags.NAME` or one of `fingerprintVariables`. */
  | { readonly kind: 'variable'; readonly name: string }

export const fingerprintPartsMax = 16
export const partCharactersMax = 200
export const titleCharactersMax = 200

/** Each with the shorter name that means the same. */
export const fingerprintVariables: ReadonlyMap<string, string> = new Map([
  ['default', 'default'],
  ['transaction', 'transaction'],
  ['message', 'message'],
  ['level', 'level'],
  ['logger', 'logger'],
  ['error.type', 'error.type'],
  ['type', 'error.type'],
  ['error.value', 'error.value'],
  ['value', 'error.value'],
  ['stack.function', 'stack.function'],
  ['function', 'stack.function'],
  ['stack.module', 'stack.module'],
  ['module', 'stack.module'],
  ['stack.abs_path', 'stack.abs_path'],
  ['path', 'stack.abs_path'],
  ['stack.filename', 'stack.filename'],
  ['stack.package', 'stack.package'],
  ['package', 'stack.package'],
])

const arrow = '->'
const wholeVariable = /^\{\{([^{}]*)\}\}$/
const anyVariable = /\{\{([^{}]*)\}\}/g

export function parseFingerprintRules(text: string): ParsedRules<FingerprintRule> {
  return parseLines(text, parseLine)
}

function parseLine(content: string, place: RuleLine): FingerprintRule {
  const words = ruleWords(content, 0, { separators: '' })
  const end = words.findIndex(({ text, isQuoted }) => text === arrow && !isQuoted)
  if (end === -1) {
    throw new RuleError(
      content.trimEnd().length + 1,
      'a rule needs `->` and a fingerprint behind it',
    )
  }
  if (end === 0) throw new RuleError(words[0]!.at, 'a rule needs a matcher before `->`')
  if (end > matchersPerRuleMax) {
    throw new RuleError(words[end]!.at, `a rule has at most ${matchersPerRuleMax} matchers`)
  }
  const matchers = words.slice(0, end).map((word) => parseMatcher(word, allKeys))
  const values = ruleWords(content, words[end]!.at - 1 + arrow.length, { separators: ',' })
  const parts: FingerprintPart[] = []
  let title: readonly FingerprintPart[] | undefined
  for (const word of values) {
    if (word.text === ',' && !word.isQuoted) continue
    const given = attributeOf(word)
    if (given !== undefined) title = parseTitle(given, word.at)
    else parts.push(parsePart(word))
  }
  if (parts.length === 0) {
    throw new RuleError(
      content.trimEnd().length + 1,
      'a rule needs a fingerprint behind `->`: texts, or variables such as {{ default }}',
    )
  }
  if (parts.length > fingerprintPartsMax) {
    throw new RuleError(values[0]!.at, `a fingerprint has at most ${fingerprintPartsMax} parts`)
  }
  return { ...place, matchers, parts, title }
}

/** The value of `title="…"`. */
function attributeOf({ text, at, isQuoted }: RuleWord): string | undefined {
  const [, name, value] = /^([a-z_]{1,20})=(.*)$/s.exec(isQuoted ? '' : text) ?? []
  if (name === undefined || value === undefined) return undefined
  if (name === 'title') return value
  throw new RuleError(at, `only title="…" can be set, and not ${name}; quote a text that holds "="`)
}

function parsePart({ text, at }: RuleWord): FingerprintPart {
  if (text.length > partCharactersMax) {
    throw new RuleError(at, `a part of a fingerprint has at most ${partCharactersMax} characters`)
  }
  const name = wholeVariable.exec(text)?.[1]
  if (name !== undefined) return variablePart(name, at)
  if (text.includes('{{')) {
    throw new RuleError(at, 'a variable is a part of its own: separate it with a comma')
  }
  if (text === '') throw new RuleError(at, 'a part of a fingerprint must not be empty')
  return { kind: 'text', text }
}

function parseTitle(text: string, at: number): readonly FingerprintPart[] {
  if (text.trim() === '') throw new RuleError(at, 'the title must not be empty')
  if (text.length > titleCharactersMax) {
    throw new RuleError(at, `a title has at most ${titleCharactersMax} characters`)
  }
  const parts: FingerprintPart[] = []
  let end = 0
  for (const { index, 0: whole, 1: name = '' } of text.matchAll(anyVariable)) {
    if (index > end) parts.push({ kind: 'text', text: text.slice(end, index) })
    parts.push(variablePart(name, at))
    end = index + whole.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

function variablePart(content: string, at: number): FingerprintPart {
  const name = content.trim()
  if (/^tags\.\S/.test(name)) return { kind: 'variable', name }
  const known = fingerprintVariables.get(name)
  if (known !== undefined) return { kind: 'variable', name: known }
  const names = [...new Set(fingerprintVariables.values())].join(', ')
  throw new RuleError(at, `{{ ${short(name)} }} is no variable; there are: ${names}, tags.NAME`)
}
