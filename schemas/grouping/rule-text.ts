/** Bounds and errors that both kinds of grouping rules have. */
import { RuleError } from './rule-words.ts'

/** Of one text. The plan of a range holds the texts of its projects. */
export const ruleTextCharactersMax = 16_384
export const rulesMax = 200
const lineCharactersMax = 1_000
/** Further problems are not reported. */
const problemsMax = 50

export interface RuleProblem {
  /** From 1. */
  readonly line: number
  /** The character of the line, from 1. */
  readonly at: number
  /** What is wrong and how to write it. */
  readonly message: string
}

/** What every rule has. */
export interface RuleLine {
  /** From 1. */
  readonly line: number
  /** The line as it was written, for explanations. */
  readonly source: string
}

export interface ParsedRules<Rule> {
  readonly rules: readonly Rule[]
  readonly problems: readonly RuleProblem[]
}

/** Parses each line that is neither empty nor a comment. Never throws. */
export function parseLines<Rule>(
  text: string,
  parse: (content: string, place: RuleLine) => Rule,
): ParsedRules<Rule> {
  const rules: Rule[] = []
  const problems: RuleProblem[] = []
  if (text.length > ruleTextCharactersMax) {
    const message = `the rules have more than ${ruleTextCharactersMax} characters; the rest is ignored`
    problems.push({ line: 1, at: 1, message })
  }
  const lines = text.slice(0, ruleTextCharactersMax).split('\n')
  for (const [index, content] of lines.entries()) {
    const start = content.trimStart()
    if (start === '' || start.startsWith('#')) continue
    const line = index + 1
    try {
      if (content.length > lineCharactersMax) {
        throw new RuleError(1, `a rule has at most ${lineCharactersMax} characters`)
      }
      if (rules.length === rulesMax) throw new RuleError(1, `there are more than ${rulesMax} rules`)
      rules.push(parse(content, { line, source: content.trim() }))
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      if (problems.length < problemsMax) {
        problems.push({ line, at: error.at, message: error.message })
      }
    }
  }
  return { rules, problems }
}
