/**
 * Evaluates a search query on one event in memory, with the meaning that the query has for
 * ClickHouse (api/search/event-search.ts). Ages in it are relative to the receipt of the event. The
 * work is linear in the texts of the event.
 */
import { canonicalField } from '#schemas/search/field-aliases.ts'
import { issueFieldOf } from '#schemas/search/issue-fields.ts'
import { parseNumberRange } from '#schemas/search/number-range.ts'
import {
  compileReleaseTerm,
  isAboutReleases,
  releasePartNames,
} from '#schemas/search/release-term.ts'
import {
  type FieldTerm,
  parseSearch,
  plainText,
  type SearchError,
  type SearchNode,
  type SearchPattern,
  type SearchTerm,
} from '#schemas/search/search-query.ts'
import { parseTimeSpan } from '#schemas/search/time-span.ts'
import { parseYesNo } from '#schemas/search/yes-no.ts'
import { storedText } from '#schemas/stored-text.ts'
import {
  eventAnswers,
  eventLists,
  eventTexts,
  eventTimes,
  type GroupedEvent,
  tagOf,
} from './event-text.ts'
import { foldCase } from './fold-case.ts'
import type { StepBudget } from './step-budget.ts'
import { compilePattern, type TextMatcher } from './text-pattern.ts'

export type Matches = (grouped: GroupedEvent, budget: StepBudget) => boolean

/** Returns the error of a query that no event can be asked, as the API reports it. */
export function compileQuery(text: string): Matches | SearchError {
  const query = parseSearch(text)
  return query.kind === 'error' ? query : compileNodes('and', query.terms)
}

function compileNodes(kind: 'and' | 'or', nodes: readonly SearchNode[]): Matches | SearchError {
  const compiled: Matches[] = []
  for (const node of nodes) {
    const matches = 'nodes' in node ? compileNodes(node.kind, node.nodes) : compileTerm(node)
    if (typeof matches !== 'function') return matches
    compiled.push(node.isNegated ? (grouped, budget) => !matches(grouped, budget) : matches)
  }
  return kind === 'and'
    ? (grouped, budget) => compiled.every((matches) => matches(grouped, budget))
    : (grouped, budget) => compiled.some((matches) => matches(grouped, budget))
}

function compileTerm(term: SearchTerm): Matches | SearchError {
  if (term.kind === 'text') return containsText(term.text)
  if (!term.isTag) {
    if (term.field === 'has') return compileHas(term)
    const refusal = refuseIssueField(term.field, term)
    if (refusal !== undefined) return refusal
    if (isAboutReleases(term)) return compileRelease(term)
    const name = canonicalField(term.field)
    const time = eventTimes.get(name)
    if (time !== undefined) return compileTime(term, time)
    const answer = eventAnswers.get(name)
    if (answer !== undefined) return compileAnswer(term, answer)
    const isNumber = term.operator !== '=' || term.values.some(isRange)
    if (name === 'http.status_code' && isNumber) return compileNumber(term)
  }
  if (term.operator !== '=') {
    const rule = `must compare ${term.field} with a value alone: it is a text`
    return { kind: 'error', position: term.valuePosition, end: term.end, rule }
  }
  return compileText(term)
}

function compileRelease(term: FieldTerm): Matches | SearchError {
  const compiled = compileReleaseTerm(term, (pattern) => compilePattern(pattern).matches)
  if (compiled.kind === 'error') return compiled
  return (grouped, budget) => {
    budget.spend(parseSteps)
    const { release } = grouped.event
    return release !== '' && compiled.matches(release, grouped.release, {})
  }
}

/** Reading a version and comparing it. */
const parseSteps = 200

function compileAnswer(
  term: FieldTerm,
  { read, yes }: { readonly read: (grouped: GroupedEvent) => string; readonly yes: string },
): Matches | SearchError {
  const answer = parseYesNo(term)
  if (answer.kind === 'error') return answer
  const no = yes === 'yes' ? 'no' : 'yes'
  const wanted = answer.isYes ? yes : no
  return (grouped, budget) => {
    budget.spend(1)
    return read(grouped) === wanted
  }
}

function isRange({ pieces }: SearchPattern): boolean {
  return /^\d+\.\.\d+$/.test(pieces.join('*'))
}

function compileNumber(term: FieldTerm): Matches | SearchError {
  const range = parseNumberRange(term)
  if (range.kind === 'error') return range
  const read = eventTexts.get('http.status_code')!
  return (grouped, budget) => {
    const text = read(grouped)
    budget.spend(1)
    return /^\d{1,15}$/.test(text) && range.from <= Number(text) && Number(text) <= range.to
  }
}

function containsText(text: string): Matches {
  const folded = foldCase(text)
  return ({ folded: [title, culprit] }, budget) => {
    budget.spend(title.length + culprit.length)
    return title.includes(folded) || culprit.includes(folded)
  }
}

function compileText({ field, isTag, values }: FieldTerm): Matches {
  const name = canonicalField(field)
  const known = isTag ? undefined : eventTexts.get(name)
  const isId = known !== undefined && name === 'id'
  if (!isTag && name === 'message') return compileContents(values)
  const patterns = values.map((value) => compilePattern(isId ? undashed(value) : value))
  const list = isTag ? undefined : eventLists.get(name)
  if (list !== undefined) {
    return (grouped, budget) => {
      budget.spend(1)
      return list(grouped).some((text) => someMatches(patterns, text, budget))
    }
  }
  if (known !== undefined) {
    return (grouped, budget) => someMatches(patterns, known(grouped), budget)
  }
  return ({ event }, budget) => {
    budget.spend(event.tags.length)
    return someMatches(patterns, tagOf(event, field) ?? '', budget)
  }
}

/** The title, or the value of an exception, contains the text. */
function compileContents(values: readonly SearchPattern[]): Matches {
  const patterns = values.map(({ pieces }) => compilePattern({ pieces: ['', ...pieces, ''] }))
  return ({ grouping, errors }, budget) =>
    someMatches(patterns, storedText(grouping.title), budget) ||
    errors.values.some((text) => someMatches(patterns, text, budget))
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
  if (later.kind === 'error') return later
  const { fromMs = -Infinity, beforeMs = Infinity } = span
  // An end that moves with the clock is an age.
  const isFromAge = later.fromMs !== span.fromMs
  const isBeforeAge = later.beforeMs !== span.beforeMs
  return ({ event }, budget) => {
    budget.spend(1)
    const ms = timeOf(event)
    const shiftMs = event.receivedAtMs - probeMs
    return fromMs + (isFromAge ? shiftMs : 0) <= ms && ms < beforeMs + (isBeforeAge ? shiftMs : 0)
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
  const name = canonicalField(field)
  if (eventTimes.has(name)) return () => true
  const list = eventLists.get(name)
  if (list !== undefined) {
    return (grouped, budget) => {
      budget.spend(1)
      return list(grouped).some((text) => text !== '')
    }
  }
  const read =
    eventTexts.get(name) ?? eventAnswers.get(name)?.read ?? eventTexts.get(partOf.get(name) ?? '')
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

/** Fields that an event has when it has another one. */
const partOf: ReadonlyMap<string, string> = new Map([
  ['message', 'title'],
  ...releasePartNames.map((name) => [name, 'release'] as const),
])

function refuseIssueField(
  field: string,
  { position, end }: Pick<SearchError, 'position' | 'end'>,
): SearchError | undefined {
  if (issueFieldOf(field) === undefined || eventTexts.has(canonicalField(field))) return undefined
  const rule = `must not ask events for ${field}, which is a fact of issues; a tag of that name is tags[${field}]`
  return { kind: 'error', position, end, rule }
}

function undashed({ pieces }: SearchPattern): SearchPattern {
  return { pieces: pieces.map((piece) => piece.replaceAll('-', '').toLowerCase()) }
}
