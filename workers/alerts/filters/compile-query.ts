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
import { conditionSteps, type StepBudget } from './step-budget.ts'
import { compilePattern, type TextMatcher } from './text-pattern.ts'

/** Parsing a time takes as long as many comparisons. */
const timeSteps = 200

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
  return matchAll(compiled)
}

/** Whether all of them hold. */
export function matchAll(conditions: readonly Matches[]): Matches {
  return (grouped, budget) => {
    for (const matches of conditions) if (!matches(grouped, budget)) return false
    return true
  }
}

function compileTerm(term: SearchTerm): Matches | SearchError {
  if (term.kind === 'text') return containsText(term.text)
  if (!term.isTag) {
    if (term.field === 'has') return compileHas(term)
    const refusal = refuseIssueField(term.field, term.position)
    if (refusal !== undefined) return refusal
    const time = eventTimes.get(term.field)
    if (time !== undefined) return compileTime(term, time)
  }
  if (term.operator !== '=') {
    const rule = `must compare ${term.field} with a value alone: it is a text`
    return { kind: 'error', position: term.valuePosition, rule }
  }
  return compileText(term)
}

function containsText(text: string): Matches {
  const folded = foldCase(text)
  return (grouped, budget) => {
    const [title, culprit] = grouped.folded
    budget.spend(conditionSteps + title.length + culprit.length)
    return title.includes(folded) || culprit.includes(folded)
  }
}

function compileText({ field, isTag, values }: FieldTerm): Matches {
  const known = isTag ? undefined : eventTexts.get(field)
  const isId = known !== undefined && field === 'id'
  const patterns = values.map((value) => compilePattern(isId ? undashed(value) : value))
  const read = known ?? (({ event }: GroupedEvent) => tagOf(event, field) ?? '')
  return (grouped, budget) => {
    if (known === undefined) budget.spend(grouped.event.tags.length)
    return someMatches(patterns, read(grouped), budget)
  }
}

export function someMatches(
  patterns: readonly TextMatcher[],
  text: string,
  budget: StepBudget,
): boolean {
  for (const { matches, steps } of patterns) {
    budget.spend(conditionSteps + steps * text.length)
    if (matches(text)) return true
  }
  return false
}

function compileTime(
  term: FieldTerm,
  timeOf: (event: GroupedEvent['event']) => number,
): Matches | SearchError {
  const refusal = parseTimeSpan(term, 0)
  if (refusal.kind === 'error') return refusal
  // Events of a request, and many of a range, were received at the same time.
  let [atMs, fromMs, beforeMs] = [Number.NaN, 0, 0]
  return ({ event }, budget) => {
    budget.spend(timeSteps)
    if (event.receivedAtMs !== atMs) {
      const span = parseTimeSpan(term, event.receivedAtMs)
      if (span.kind === 'error') return false
      atMs = event.receivedAtMs
      fromMs = span.fromMs ?? -Infinity
      beforeMs = span.beforeMs ?? Infinity
    }
    const ms = timeOf(event)
    return fromMs <= ms && ms < beforeMs
  }
}

function compileHas({ values, operator, valuePosition }: FieldTerm): Matches | SearchError {
  const [value] = values
  const field = value && plainText(value)
  if (operator !== '=' || values.length !== 1 || field === undefined) {
    return { kind: 'error', position: valuePosition, rule: 'must name one field after has:' }
  }
  const refusal = refuseIssueField(field, valuePosition)
  if (refusal !== undefined) return refusal
  if (eventTimes.has(field)) return () => true
  const read = eventTexts.get(field)
  if (read === undefined) {
    return ({ event }, budget) => {
      budget.spend(conditionSteps + event.tags.length)
      return tagOf(event, field) !== undefined
    }
  }
  return (grouped, budget) => {
    budget.spend(conditionSteps)
    return read(grouped) !== ''
  }
}

function refuseIssueField(field: string, position: number): SearchError | undefined {
  if (!isIssueField(field) || eventTexts.has(field)) return undefined
  const rule = `must not ask events for ${field}, which is a fact of issues; a tag of that name is tags[${field}]`
  return { kind: 'error', position, rule }
}

function undashed({ pieces }: SearchPattern): SearchPattern {
  return { pieces: pieces.map((piece) => piece.replaceAll('-', '').toLowerCase()) }
}
