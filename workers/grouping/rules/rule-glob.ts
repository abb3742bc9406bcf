/**
 * Globs of grouping rules. `*` is any characters and `?` one; in paths these two stop at a slash
 * and `**` does not. A match takes at most the product of both lengths, and mostly ends at the
 * first fixed text that is not there.
 */
import type { RuleBudget } from './rule-budget.ts'

/** The text is in lower case. */
export type RuleGlob = (text: string, budget: RuleBudget) => boolean

/** Longer texts match by their beginning. */
export const matchedUnitsMax = 1_024
const slash = 47

/** @param pattern in lower case */
export function compileRuleGlob(pattern: string, isPath: boolean): RuleGlob {
  if (!/[*?]/.test(pattern)) {
    return (text, budget) => {
      budget.spend(1)
      return text === pattern
    }
  }
  const fixed = pattern.split(/[*?]+/)
  const first = fixed[0]!
  const last = fixed.at(-1)!
  const longest = fixed.reduce((most, part) => (part.length > most.length ? part : most), '')
  const tokens = tokensOf(pattern, isPath)
  const isAnything = tokens.length === 1 && tokens[0] === anything
  return (text, budget) => {
    budget.spend(1)
    if (isAnything) return true
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    budget.spend(1 + (text.length >> 4))
    if (!text.includes(longest)) return false
    budget.spend((tokens.length * text.length) >> 1)
    return !budget.isSpent && matches(tokens, text)
  }
}

/** Code units, and negative numbers for what stands for others. */
const anything = -1
const anythingButSlash = -2
const one = -3
const oneButSlash = -4

function tokensOf(pattern: string, isPath: boolean): readonly number[] {
  const tokens: number[] = []
  for (let index = 0; index < pattern.length; index++) {
    const sign = pattern[index]
    if (sign === '?') tokens.push(isPath ? oneButSlash : one)
    else if (sign !== '*') tokens.push(pattern.charCodeAt(index))
    else {
      const start = index
      while (pattern[index + 1] === '*') index++
      tokens.push(isPath && index === start ? anythingButSlash : anything)
    }
  }
  return tokens
}

/**
 * Walks over the text once with all places of the pattern that may be reached: for each, whether
 * the pattern up to it matches the text so far.
 */
function matches(tokens: readonly number[], text: string): boolean {
  const count = tokens.length
  const reached = new Uint8Array(count + 1)
  reached[0] = 1
  passEmpty(tokens, reached)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    let isAlive = false
    // From the end, because each place is reached from the one before it.
    for (let index = count; index >= 0; index--) {
      const token = index < count ? tokens[index]! : one
      const stays =
        index < count &&
        reached[index] === 1 &&
        (token === anything || (token === anythingButSlash && unit !== slash))
      const arrives = index > 0 && reached[index - 1] === 1 && takesOne(tokens[index - 1]!, unit)
      reached[index] = stays || arrives ? 1 : 0
      isAlive ||= stays || arrives
    }
    if (!isAlive) return false
    passEmpty(tokens, reached)
  }
  return reached[count] === 1
}

function takesOne(token: number, unit: number): boolean {
  return token === unit || token === one || (token === oneButSlash && unit !== slash)
}

function passEmpty(tokens: readonly number[], reached: Uint8Array): void {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    if (reached[index] === 1 && (token === anything || token === anythingButSlash)) {
      reached[index + 1] = 1
    }
  }
}
