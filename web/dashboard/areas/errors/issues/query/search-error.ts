/** An error in a search, as the API reports it: where it is, in words, and how to correct it. */
import { Problem } from '../../../../http/problem.ts'
import { quoteValue, termsOf, valuesOf } from './query-text.ts'

/** How the API begins the names that are likely meant. */
const meant = 'did you mean '

export interface SearchError {
  /** The part of the query that is underlined; at least one character. */
  readonly start: number
  readonly end: number
  readonly message: string
  /** Whole queries in which the error is corrected, the likeliest first. */
  readonly corrections: readonly { readonly label: string; readonly query: string }[]
}

const correctionsMax = 10
/** Words of other tools for the states of issues. */
const synonyms: Readonly<Record<string, string>> = {
  open: 'unresolved',
  active: 'unresolved',
  closed: 'resolved',
  done: 'resolved',
  fixed: 'resolved',
  muted: 'ignored',
}

/** Undefined when the problem is about something else. */
export function searchErrorOf(problem: Error | undefined, query: string): SearchError | undefined {
  if (!(problem instanceof Problem)) return undefined
  const detail = problem.details.find(({ field }) => field === 'query')
  if (detail === undefined) return undefined
  const position = detail.start ?? detail.position
  const { start, end } = rangeAt(query, position, detail.end)
  const where = position === undefined ? 'The search' : `Character ${position + 1}`
  return {
    start,
    end,
    message: `${where} ${detail.rule}`,
    // A value that is missing at the end has no character: the one before it is underlined.
    corrections: correctionsOf(query, position === query.length ? end : start, end, detail.rule),
  }
}

/** From the position to the end of its term. One behind the text marks its last character. */
function rangeAt(query: string, position: number | undefined, givenEnd: number | undefined) {
  if (position === undefined) return { start: 0, end: query.length }
  const start = Math.max(0, Math.min(position, query.length - 1))
  const term = termsOf(query).find((one) => one.start <= start && start < one.end)
  const end = givenEnd ?? term?.end ?? start + 1
  return { start, end: Math.max(start + 1, Math.min(end, query.length)) }
}

function correctionsOf(query: string, start: number, end: number, rule: string) {
  const replace = (text: string) => query.slice(0, start) + text + query.slice(end)
  const [, list] = /^must be one of (.+) after \S+:$/.exec(rule) ?? []
  if (list !== undefined) {
    const term = termsOf(query).find((one) => one.start <= start && start <= one.end)
    const typed = term === undefined ? '' : (valuesOf(query, term)[0] ?? '').toLowerCase()
    return list
      .split(', ')
      .map((value) => ({
        value,
        distance: synonyms[typed] === value ? -1_000 : distanceOf(typed, value),
      }))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, correctionsMax)
      .map(({ value }) => ({ label: value, query: replace(quoteValue(value)) }))
  }
  const named = rule.indexOf(meant)
  if (named !== -1 && rule.endsWith('?')) {
    const names = rule.slice(named + meant.length, -1)
    return names.split(', ').map((name) => ({ label: name, query: replace(name) }))
  }
  if (rule.startsWith('must close each (')) {
    return [{ label: 'Close the (', query: `${query.trimEnd()})` }]
  }
  if (rule.startsWith('must close each "')) return [{ label: 'Close the "', query: `${query}"` }]
  if (rule.startsWith('must close each [')) {
    return [{ label: 'Close the [', query: `${query.trimEnd()}]` }]
  }
  return []
}

/** Changed characters; a common beginning counts for the value. */
function distanceOf(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + changed,
      )
    }
    previous = current
  }
  const isBeginning = a.length > 1 && b.startsWith(a.slice(0, 2))
  return (previous[b.length] ?? 0) - (isBeginning ? 2 : 0)
}
