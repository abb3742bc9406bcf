/** What is wrong with lines of rules, as the API reports it. */
import type { ProblemDetail } from '../../../../http/problem.ts'

export interface LineProblem {
  /** From 1. */
  readonly line: number
  /** The character of the line, from 1; absent: the whole line. */
  readonly at?: number
  readonly message: string
}

export interface ReadProblems {
  readonly lines: readonly LineProblem[]
  /** Rules about the text as a whole. */
  readonly others: readonly string[]
}

/** The API writes `line 3: …` or `line 3, character 7: …` as the rule of the field. */
export function readProblems(details: readonly ProblemDetail[], readField = 'rules'): ReadProblems {
  const lines: LineProblem[] = []
  const others: string[] = []
  for (const { field, rule } of details) {
    if (field !== readField) continue
    const [, line, at, message] = /^line (\d+)(?:, character (\d+))?: ([\s\S]*)$/.exec(rule) ?? []
    if (line === undefined || message === undefined) others.push(rule)
    else
      lines.push({ line: Number(line), ...(at === undefined ? {} : { at: Number(at) }), message })
  }
  return { lines, others }
}

/** Without those of lines that were changed, moved or removed since they were checked. */
export function stillPresent(
  problems: readonly LineProblem[],
  checkedText: string,
  text: string,
): readonly LineProblem[] {
  if (checkedText === text) return problems
  const before = checkedText.split('\n')
  const now = text.split('\n')
  return problems.filter(
    ({ line }) => now[line - 1] !== undefined && now[line - 1] === before[line - 1],
  )
}

/** Where a line begins and ends in the text, to select it. */
export function rangeOfLine(text: string, line: number): readonly [start: number, end: number] {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1)
  const start = before.reduce((sum, { length }) => sum + length + 1, 0)
  return [
    Math.min(start, text.length),
    Math.min(start + (lines[line - 1] ?? '').length, text.length),
  ]
}
