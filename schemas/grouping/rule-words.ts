/**
 * Reads a line of grouping rules into words. A word ends at a blank; within double quotes blanks
 * belong to it, and `\"` and `\\` are a quote and a backslash. A word that begins with `#` begins a
 * comment, unless it is quoted. Reading takes one pass over the line.
 */

/** A word with the place, from 1, of its first character in the line. */
export interface RuleWord {
  /** Without quotes and escapes. */
  readonly text: string
  readonly at: number
  /** True when the whole word is in quotes, so that it is no sign such as `->`. */
  readonly isQuoted: boolean
}

export class RuleError extends Error {
  /** The character of the line, from 1. */
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Signs that end a word, such as the comma between parts of a fingerprint. */
export interface WordOptions {
  readonly separators: string
}

const variableStart = '{{'
const variableEnd = '}}'

/** Throws a RuleError for a quote or a variable that does not end. */
export function ruleWords(line: string, from: number, { separators }: WordOptions): RuleWord[] {
  const words: RuleWord[] = []
  let at = from
  while (at < line.length) {
    const sign = line[at]!
    if (isBlank(sign)) {
      at += 1
    } else if (separators.includes(sign)) {
      words.push({ text: sign, at: at + 1, isQuoted: false })
      at += 1
    } else if (sign === '#') {
      return words
    } else {
      at = readWord(line, at, separators, words)
    }
  }
  return words
}

function readWord(line: string, start: number, separators: string, words: RuleWord[]): number {
  let text = ''
  let at = start
  let quotedCharacters = 0
  while (at < line.length) {
    const sign = line[at]!
    if (isBlank(sign) || separators.includes(sign)) break
    if (sign === '"') {
      const quoted = readQuoted(line, at)
      text += quoted.text
      quotedCharacters += quoted.end - at
      at = quoted.end
    } else if (line.startsWith(variableStart, at)) {
      // Blanks within the braces belong to the variable.
      const end = line.indexOf(variableEnd, at)
      if (end === -1) throw new RuleError(at + 1, 'a variable must end with `}}`')
      text += line.slice(at, end + variableEnd.length)
      at = end + variableEnd.length
    } else {
      text += sign
      at += 1
    }
  }
  words.push({ text, at: start + 1, isQuoted: quotedCharacters === at - start })
  return at
}

function readQuoted(line: string, start: number): { readonly text: string; readonly end: number } {
  let text = ''
  for (let at = start + 1; at < line.length; at += 1) {
    const sign = line[at]!
    if (sign === '"') return { text, end: at + 1 }
    const next = line[at + 1]
    if (sign === '\\' && (next === '"' || next === '\\')) {
      text += next
      at += 1
    } else {
      text += sign
    }
  }
  throw new RuleError(start + 1, 'a text in quotes must end with `"`')
}

function isBlank(sign: string): boolean {
  return sign === ' ' || sign === '\t' || sign === '\r'
}
