/**
 * Translates a search into conditions on issues. Postgres knows the state, counters and times of
 * issues. All other fields are properties of events: those terms together match issues with an
 * event that matches all of them.
 */

import { type IssueField, isIssueField } from '#schemas/search/issue-fields.ts'
import { type FieldTerm, plainText, type SearchTerm } from '#schemas/search/search-query.ts'
import { assignedToTeam, inTriage, priority, substatus, unassigned } from './issue-columns.ts'
import { searchError } from './search-error.ts'
import { readTimeSpan } from './search-time.ts'
import { likePattern, matches, requireEquality } from './text-match.ts'

export interface IssueSearch {
  /** Conditions on `issues i`. The caller numbers their parameters. */
  conditions(bind: (value: unknown) => string): string[]
  readonly eventTerms: readonly SearchTerm[]
}

type Bind = (value: unknown) => string
type Compile = (term: FieldTerm, bind: Bind, nowMs: number) => string

const compilers: Readonly<Record<IssueField, Compile>> = {
  is: compileIs,
  assigned: compileAssigned,
  assignee: compileAssigned,
  level: text('i.level'),
  priority: text(priority),
  title: text('i.title'),
  culprit: text('i.culprit'),
  platform: text('i.platform'),
  first_release: text('i.first_release'),
  firstRelease: text('i.first_release'),
  last_release: text('i.last_release'),
  times_seen: number('i.count'),
  timesSeen: number('i.count'),
  first_seen: time('i.first_seen'),
  firstSeen: time('i.first_seen'),
  age: time('i.first_seen'),
  last_seen: time('i.last_seen'),
  lastSeen: time('i.last_seen'),
  issue: compileIssue,
}

export function issueSearch(terms: readonly SearchTerm[], nowMs: number): IssueSearch {
  const isEvents = (term: SearchTerm) =>
    term.kind === 'field' && (term.isTag || !isIssueField(term.field))
  const own = terms.filter((term) => !isEvents(term))
  return {
    conditions: (bind) =>
      own.map((term) => {
        const condition =
          term.kind === 'text' ? contains(term.text, bind) : compile(term, bind, nowMs)
        // An unknown value does not match.
        return term.isNegated ? `not coalesce(${condition}, false)` : condition
      }),
    eventTerms: terms.filter(isEvents),
  }
}

function compile(term: FieldTerm, bind: Bind, nowMs: number): string {
  if (!isIssueField(term.field)) throw new Error(`${term.field} is no field of issues`)
  return `(${compilers[term.field](term, bind, nowMs)})`
}

function contains(value: string, bind: Bind): string {
  const pattern = bind(likePattern(['', value, '']))
  return `(i.title ilike ${pattern} or i.culprit ilike ${pattern})`
}

const states: ReadonlyMap<string, string | ((now: string) => string)> = new Map<
  string,
  string | ((now: string) => string)
>([
  ['unresolved', `i.status = 'unresolved'`],
  ['resolved', `i.status = 'resolved'`],
  ['ignored', `i.status = 'ignored'`],
  ['new', `${substatus} = 'new'`],
  ['ongoing', `${substatus} = 'ongoing'`],
  ['regressed', `${substatus} = 'regressed'`],
  ['escalating', `${substatus} = 'escalating'`],
  ['triage', inTriage],
  ['assigned', `not ${unassigned}`],
  ['unassigned', unassigned],
])

/** The values of `is:`. */
export const stateNames: readonly string[] = [...states.keys()]

function compileIs(term: FieldTerm, _bind: Bind, nowMs: number): string {
  requireEquality(term)
  const instant = `to_timestamp(${nowMs}::float8 / 1000)`
  return term.values
    .map((value) => {
      const state = states.get(plainText(value) ?? '')
      if (state !== undefined) return typeof state === 'string' ? state : state(instant)
      const rule = `must be one of ${stateNames.join(', ')} after is:`
      throw searchError({ position: term.valuePosition, end: term.end, rule })
    })
    .join(' or ')
}

/** An email address, the id of a person, `#` or `team:` with the slug of a team, or `none`. */
function compileAssigned(term: FieldTerm, bind: Bind): string {
  requireEquality(term)
  return term.values
    .map((value) => {
      const who = plainText(value)
      if (who === 'none') return unassigned
      const team = /^(?:#|team:)(.*)$/s.exec(who ?? '')?.[1]
      if (team !== undefined) return assignedToTeam(`slug = lower(${bind(team)})`)
      return who === undefined
        ? matches('person.email', value, bind)
        : `person.email = lower(${bind(who)}) or person.id::text = lower(${bind(who)})`
    })
    .join(' or ')
}

/** A short id such as SHOP-12. */
function compileIssue(term: FieldTerm, bind: Bind): string {
  requireEquality(term)
  return term.values
    .map((value) => {
      const shortNo = /^(?:.*-)?(\d{1,9})$/.exec(plainText(value) ?? '')?.[1]
      if (shortNo !== undefined) return `i.short_no = ${bind(Number(shortNo))}`
      const rule = 'must have a short id such as SHOP-12 after issue:'
      throw searchError({ position: term.valuePosition, end: term.end, rule })
    })
    .join(' or ')
}

function text(column: string): Compile {
  return (term, bind) => {
    requireEquality(term)
    return term.values.map((value) => matches(column, value, bind)).join(' or ')
  }
}

function number(column: string): Compile {
  return ({ field, values, operator, valuePosition, end }, bind) => {
    const count = values.length === 1 ? plainText(values[0]!) : undefined
    if (count === undefined || !/^\d{1,15}$/.test(count)) {
      const rule = `must have a whole number after ${field}:`
      throw searchError({ position: valuePosition, end, rule })
    }
    return `${column} ${operator} ${bind(Number(count))}`
  }
}

function time(column: string): Compile {
  return (term, bind, nowMs) => {
    const { fromMs, beforeMs } = readTimeSpan(term, nowMs)
    const instant = (ms: number) => `to_timestamp(${bind(ms)}::float8 / 1000)`
    return [
      ...(fromMs === undefined ? [] : [`${column} >= ${instant(fromMs)}`]),
      ...(beforeMs === undefined ? [] : [`${column} < ${instant(beforeMs)}`]),
    ].join(' and ')
  }
}
