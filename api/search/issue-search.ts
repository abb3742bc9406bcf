/**
 * Translates a search into conditions on issues. Postgres knows the state, counters and times of
 * issues. All other fields are properties of events (split-search.ts).
 */

import { canonicalField } from '#schemas/search/field-aliases.ts'
import { type IssueField, issueFieldOf } from '#schemas/search/issue-fields.ts'
import { parseNumberRange } from '#schemas/search/number-range.ts'
import { isAboutReleases } from '#schemas/search/release-term.ts'
import { type FieldTerm, plainText, type SearchNode } from '#schemas/search/search-query.ts'
import { assignedToTeam, inTriage, priority, substatus, unassigned } from './issue-columns.ts'
import { releasesOf } from './release-list.ts'
import { readValue, searchError } from './search-error.ts'
import type { SearchFacts } from './search-facts.ts'
import { readTimeSpan } from './search-time.ts'
import { likePattern, matches, requireEquality } from './text-match.ts'
import { usersSeenCondition } from './users-seen.ts'

export interface IssueSearch {
  /** Conditions on `issues i`. The caller numbers their parameters. */
  conditions(bind: Bind): string[]
}

export type Bind = (value: unknown) => string
type Compile = (term: FieldTerm, bind: Bind, facts: SearchFacts) => string

const compilers: Readonly<Record<IssueField, Compile>> = {
  is: compileIs,
  assigned: compileAssigned,
  bookmarks: compileBookmarks,
  level: text('i.level'),
  priority: text(priority),
  title: text('i.title'),
  culprit: text('i.culprit'),
  platform: text('i.platform'),
  first_release: release('i.first_release'),
  last_release: release('i.last_release'),
  times_seen: number('i.count'),
  users_seen: (term, bind, { usersSeen }) => {
    const found = usersSeen.get(term)
    if (found === undefined) throw new Error('the users of the issues are not read')
    return usersSeenCondition(found, bind)
  },
  first_seen: time('i.first_seen'),
  last_seen: time('i.last_seen'),
  issue: compileIssue,
}

/** @param nodes about issues alone; all must hold. */
export function issueConditions(
  nodes: readonly SearchNode[],
  facts: SearchFacts,
  bind: Bind,
): string[] {
  return nodes.map((node) => {
    const condition = positiveOf(node, facts, bind)
    // An unknown value does not match.
    return node.isNegated ? `not coalesce(${condition}, false)` : condition
  })
}

function positiveOf(node: SearchNode, facts: SearchFacts, bind: Bind): string {
  if (node.kind === 'text') return contains(node.text, bind)
  if (node.kind !== 'field') {
    return `(${issueConditions(node.nodes, facts, bind).join(` ${node.kind} `)})`
  }
  const field = issueFieldOf(node.field)
  if (field === undefined) throw new Error(`${node.field} is no field of issues`)
  return `(${compilers[field](node, bind, facts)})`
}

function contains(value: string, bind: Bind): string {
  const pattern = bind(likePattern(['', value, '']))
  // `ilike` converts the pattern once for each row, which takes a quarter of a search.
  return `(lower(i.title) like lower(${pattern}) or lower(i.culprit) like lower(${pattern}))`
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
  ['for_review', inTriage],
  ['archived', `i.status = 'ignored'`],
  ['assigned', `not ${unassigned}`],
  ['unassigned', unassigned],
  ['linked', 'exists (select from issue_links where issue_id = i.id)'],
])

/** The values of `is:`. */
export const stateNames: readonly string[] = [...states.keys()]

function compileIs(term: FieldTerm, _bind: Bind, { nowMs }: SearchFacts): string {
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

/** `me`, `none`, an email address, the id of a person, or the slug of a team behind `#`. */
function compileAssigned(term: FieldTerm, bind: Bind, facts: SearchFacts): string {
  requireEquality(term)
  return term.values
    .map((value) => {
      const who = plainText(value)
      if (who === 'none') return unassigned
      if (who === 'me') return `i.assignee = ${bind(requirePerson(term, facts))}`
      const team = /^(?:#|team:)(.*)$/s.exec(who ?? '')?.[1]
      if (team !== undefined) return assignedToTeam(`slug = lower(${bind(team)})`)
      return who === undefined
        ? matches('person.email', value, bind)
        : `person.email = lower(${bind(who)}) or person.id::text = lower(${bind(who)})`
    })
    .join(' or ')
}

/** `me`, an email address, or the id of a person. */
function compileBookmarks(term: FieldTerm, bind: Bind, facts: SearchFacts): string {
  requireEquality(term)
  const people = term.values.map((value) => {
    const who = plainText(value)
    if (who === 'me') return `marked.person_id = ${bind(requirePerson(term, facts))}`
    const of = (condition: string) =>
      `marked.person_id in (select id from people where ${condition})`
    return who === undefined
      ? of(matches('email', value, bind))
      : of(`email = lower(${bind(who)}) or id::text = lower(${bind(who)})`)
  })
  return `exists (select from issue_bookmarks marked where marked.issue_id = i.id
    and (${people.join(' or ')}))`
}

function requirePerson({ valuePosition, end }: FieldTerm, { personId }: SearchFacts): string {
  if (personId !== undefined) return personId
  const rule =
    'must not be me without a login: an access token is no person, so name an email address'
  throw searchError({ position: valuePosition, end, rule })
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

/** Also compares versions. */
function release(column: string): Compile {
  const asText = text(column)
  return (term, bind, facts) =>
    isAboutReleases({ ...term, field: canonicalField(term.field) })
      ? `${column} = any(${bind(releasesOf(term, facts.releases))}::text[])`
      : asText(term, bind, facts)
}

function number(column: string): Compile {
  return (term, bind) => {
    const { from, to } = readValue(parseNumberRange(term))
    const upper = to === Infinity ? '' : ` and ${column} <= ${bind(to)}`
    return `${column} >= ${bind(from)}${upper}`
  }
}

function time(column: string): Compile {
  return (term, bind, { nowMs }) => {
    const { fromMs, beforeMs } = readTimeSpan(term, nowMs)
    const instant = (ms: number) => `to_timestamp(${bind(ms)}::float8 / 1000)`
    return [
      ...(fromMs === undefined ? [] : [`${column} >= ${instant(fromMs)}`]),
      ...(beforeMs === undefined ? [] : [`${column} < ${instant(beforeMs)}`]),
    ].join(' and ')
  }
}
