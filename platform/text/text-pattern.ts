/**
 * Parses the patterns with which people remove parts of texts: a small subset of regular
 * expressions. A pattern is a sequence of character classes with counts, without groups, choices or
 * back references. So every pattern matches in one pass over the text, and the cost per character
 * is bounded by the length of the pattern.
 */
import { patternCharactersMax } from '#schemas/project-settings.ts'

/** One character class of a pattern, which matches one UTF-16 code unit. */
export interface PatternStep {
  /** Whether the step matches a UTF-16 code unit, ignoring case. */
  readonly takes: (unit: number) => boolean
  readonly isOptional: boolean
  readonly repeats: boolean
}

export type ParsedPattern =
  | { readonly kind: 'pattern'; readonly steps: readonly PatternStep[] }
  | { readonly kind: 'error'; readonly at: number; readonly rule: string }

/** Steps of one pattern after its counts are expanded: `\d{4}` is four steps. */
export const patternStepsMax = 128

type Range = readonly [first: number, last: number]

const namedClasses: Readonly<Record<string, readonly Range[]>> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
    [0xa0, 0xa0],
    [0x2028, 0x2029],
  ],
}

/** An invalid pattern, with the position and the rule. */
class PatternError {
  readonly at: number
  readonly rule: string

  constructor(at: number, rule: string) {
    this.at = at
    this.rule = rule
  }
}

/** Errors have the index of the offending character, starting at 0. */
export function parseTextPattern(pattern: string): ParsedPattern {
  try {
    const steps = new PatternReader(pattern).read()
    return { kind: 'pattern', steps }
  } catch (error) {
    if (error instanceof PatternError) return { kind: 'error', at: error.at, rule: error.rule }
    throw error
  }
}

class PatternReader {
  readonly #pattern: string
  readonly #steps: PatternStep[] = []
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): readonly PatternStep[] {
    if (this.#pattern.length > patternCharactersMax) {
      throw new PatternError(
        patternCharactersMax,
        `must have at most ${patternCharactersMax} characters`,
      )
    }
    while (this.#at < this.#pattern.length) {
      const start = this.#at
      const takes = this.#readClass()
      const [min, max] = this.#readCount()
      this.#append(takes, min, max, start)
    }
    if (this.#steps.every((step) => step.isOptional)) {
      throw new PatternError(0, 'must ask for one character at least')
    }
    return this.#steps
  }

  #append(takes: PatternStep['takes'], min: number, max: number, start: number): void {
    const isEndless = max === Number.POSITIVE_INFINITY
    const written = isEndless ? Math.max(min, 1) : max
    if (this.#steps.length + written > patternStepsMax) {
      throw new PatternError(
        start,
        `is too long: at most ${patternStepsMax} characters with counts written out`,
      )
    }
    for (let index = 0; index < written; index += 1) {
      const repeats = isEndless && index === written - 1
      this.#steps.push({ takes, isOptional: index >= min, repeats })
    }
  }

  #readClass(): PatternStep['takes'] {
    const start = this.#at
    const character = this.#next()
    switch (character) {
      case '.':
        return () => true
      case '\\':
        return takesAny(this.#readEscape(start))
      case '[':
        return this.#readList(start)
      case '(':
      case ')':
      case '|':
        throw new PatternError(
          start,
          'groups and choices are not understood: write one pattern for each, or \\ before it',
        )
      case '^':
      case '$':
        throw new PatternError(start, 'patterns match anywhere in a text: write \\ before it')
      case '*':
      case '+':
      case '?':
      case '{':
        throw new PatternError(start, 'counts nothing: write \\ before it')
      default:
        return takesAny([rangeOf(character)])
    }
  }

  #readEscape(start: number): readonly Range[] {
    if (this.#at >= this.#pattern.length)
      throw new PatternError(start, 'needs a character behind it')
    const character = this.#next()
    const named = namedClasses[character]
    if (named !== undefined) return named
    if (character === 'n') return [[10, 10]]
    if (character === 't') return [[9, 9]]
    if (/[A-Za-z0-9]/.test(character)) {
      throw new PatternError(start, 'only \\d, \\w, \\s, \\n, \\t and signs can follow a backslash')
    }
    return [rangeOf(character)]
  }

  #readList(start: number): PatternStep['takes'] {
    const isNegated = this.#pattern[this.#at] === '^'
    if (isNegated) this.#at += 1
    const ranges: Range[] = []
    while (true) {
      if (this.#at >= this.#pattern.length) throw new PatternError(start, 'needs a ] that ends it')
      const at = this.#at
      const character = this.#next()
      if (character === ']') break
      const first = character === '\\' ? this.#readEscape(at) : [rangeOf(character)]
      const isRange =
        this.#pattern[this.#at] === '-' && (this.#pattern[this.#at + 1] ?? ']') !== ']'
      if (!isRange) {
        ranges.push(...first)
        continue
      }
      this.#at += 1
      const endAt = this.#at
      const end = this.#next()
      const last = end === '\\' ? this.#readEscape(endAt) : [rangeOf(end)]
      ranges.push(rangeBetween(first, last, at))
    }
    if (ranges.length === 0) throw new PatternError(start, 'must list one character at least')
    const takes = takesAny(ranges)
    return isNegated ? (unit) => !takes(unit) : takes
  }

  #readCount(): readonly [min: number, max: number] {
    const start = this.#at
    switch (this.#pattern[this.#at]) {
      case '?':
        this.#at += 1
        return [0, 1]
      case '*':
        this.#at += 1
        return [0, Number.POSITIVE_INFINITY]
      case '+':
        this.#at += 1
        return [1, Number.POSITIVE_INFINITY]
      case '{':
        break
      default:
        return [1, 1]
    }
    const written = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 10))
    if (written === null)
      throw new PatternError(start, 'must be a count such as {4}, {4,8} or {4,}')
    this.#at += written[0].length
    const min = Number(written[1])
    const max = written[2] === undefined ? min : written[3] === '' ? Infinity : Number(written[3])
    if (max < min || max === 0)
      throw new PatternError(start, 'must not count less than it began with')
    return [min, max]
  }

  #next(): string {
    const character = this.#pattern[this.#at] ?? ''
    this.#at += 1
    return character
  }
}

function rangeOf(character: string): Range {
  const unit = character.charCodeAt(0)
  return [unit, unit]
}

function rangeBetween(first: readonly Range[], last: readonly Range[], at: number): Range {
  const [from, to] = [first[0], last[0]]
  const isOne = first.length === 1 && last.length === 1 && from?.[0] === from?.[1]
  if (!isOne || from === undefined || to === undefined || to[0] !== to[1] || to[0] < from[0]) {
    throw new PatternError(at, 'must be a range from one character to a later one')
  }
  return [from[0], to[0]]
}

function takesAny(ranges: readonly Range[]): PatternStep['takes'] {
  const has = (unit: number) => ranges.some(([first, last]) => first <= unit && unit <= last)
  return (unit) => has(unit) || has(lowerOf(unit)) || has(upperOf(unit))
}

function lowerOf(unit: number): number {
  return String.fromCharCode(unit).toLowerCase().charCodeAt(0)
}

function upperOf(unit: number): number {
  return String.fromCharCode(unit).toUpperCase().charCodeAt(0)
}
