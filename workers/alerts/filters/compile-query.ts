/**
 * Evaluates a search query on one event in memory, with the meaning that the query has for
 * ClickHouse (api/search/event-search.ts). Ages in it are relative to the receipt of the event. The
 * work is linear in the texts of the event.
 */
import { isIssueField } from '#schemas/search/issue-fields.ts'
import {
  type FieldTerm,
  parseSearch,
  plainText,
  type SearchError,
  type SearchPattern,
  type SearchTerm,
} from '#schemas/search/search-query.ts'
import { parseTimeSpan } from '#schemas/search/time-span.ts'
import { eventTexts, eventTimes, type GroupedEvent, tagOf } from './event-text.ts'
import { foldCase } from './fold-case.ts'
import type { StepBudget } from './step-budget.ts'
import { compilePattern, type TextMatcher } from './text-pattern.ts'

export type Matches = (grouped: GroupedEvent, budget: StepBudget) => boolean

/** Returns the error of a query that no event can be asked, as the API reports it. */
export function compileQuery(text: string): Matches | SearchError {
  const query = parseSearch(text)
  if (query.kind === 'error') return query
  const compiled: Matches[] = []
  for (const term of query.terms) {
    const matches = compileTerm(term)
    if (typeof matches !== 'function') return matches
    compiled.push(term.isNegated ? (grouped, budget) => !matches(grouped, budget) : matches)
  }
  return (grouped, budget) => compiled.every((matches) => matches(grouped, budget))
}

function compileTerm(term: SearchTerm): Matches | SearchError {
  if (term.kind === 'text') return containsText(term.text)
  if (!term.isTag) {
    if (term.field === 'has') return compileHas(term)
    const refusal = refuseIssueField(term.field, term)
    if (refusal !== undefined) return refusal
    const time = eventTimes.get(term.field)
    if (time !== undefined) return compileTime(term, time)
  }
  if (term.operator !== '=') {
    const rule = `must compare ${term.field} with a value alone: it is a text`
    return { kind: 'error', position: term.valuePosition, end: term.end, rule }
  }
  return compileText(term)
}

function containsText(text: string): Matches {
  const folded = foldCase(text)
  return ({ folded: [title, culprit] }, budget) => {
    budget.spend(title.length + culprit.length)
    return title.includes(folded) || culprit.includes(folded)
  }
}

function compileText({ field, isTag, values }: FieldTerm): Matches {
  const known = isTag ? undefined : eventTexts.get(field)
  const isId = known !== undefined && field === 'id'
  const patterns = values.map((value) => compilePattern(isId ? undashed(value) : value))
  if (known !== undefined) {
    return (grouped, budget) => someMatches(patterns, known(grouped), budget)
  }
  return ({ event }, budget) => {
    budget.spend(event.tags.length)
    return someMatches(patterns, tagOf(event, field) ?? '', budget)
  }
}

export function someMatches(
  patterns: readonly TextMatcher[],
  text: string,
  budget: StepBudget,
): boolean {
  // Reading a text has cleaned it.
  budget.spend(text.length)
  return patterns.some(({ matches, steps }) => {
    budget.spend(1 + steps * text.length)
    return matches(text)
  })
}

function compileTime(
  term: FieldTerm,
  timeOf: (event: GroupedEvent['event']) => number,
): Matches | SearchError {
  const span = parseTimeSpan(term, probeMs)
  if (span.kind === 'error') return span
  const later = parseTimeSpan(term, probeMs + 1)
  const isAge = JSON.stringify(later) !== JSON.stringify(span)
  const { fromMs = -Infinity, beforeMs = Infinity } = span
  return ({ event }, budget) => {
    budget.spend(1)
    const ms = timeOf(event)
    const shiftMs = isAge ? event.receivedAtMs - probeMs : 0
    return fromMs + shiftMs <= ms && ms < beforeMs + shiftMs
  }
}

/** Far enough from both ends of time that no age reaches them; older ages hold for all events. */
const probeMs = 5_000_000_000_000

function compileHas({ values, operator, valuePosition, end }: FieldTerm): Matches | SearchError {
  const [value] = values
  const field = value && plainText(value)
  if (operator !== '=' || values.length !== 1 || field === undefined) {
    return { kind: 'error', position: valuePosition, end, rule: 'must name one field after has:' }
  }
  const refusal = refuseIssueField(field, { position: valuePosition, end })
  if (refusal !== undefined) return refusal
  if (eventTimes.has(field)) return () => true
  const read = eventTexts.get(field)
  if (read === undefined) {
    return ({ event }, budget) => {
      budget.spend(event.tags.length)
      return tagOf(event, field) !== undefined
    }
  }
  return (grouped, budget) => {
    const text = read(grouped)
    budget.spend(1 + text.length)
    return text !== ''
  }
}

function refuseIssueField(
  field: string,
  { position, end }: Pick<SearchError, 'position' | 'end'>,
): SearchError | undefined {
  if (!isIssueField(field) || eventTexts.has(field)) return undefined
  const rule = `must not ask events for ${field}, which is a fact of issues; a tag of that name is tags[${field}]`
  return { kind: 'error', position, end, rule }
}

function undashed({ pieces }: SearchPattern): SearchPattern {
  return { pieces: pieces.map((piece) => piece.replaceAll('-', '').toLowerCase()) }
}
