/** The quick filters are a part of the query: they read and change its text. */
import { type QueryTerm, quoteValue, termsOf, valuesOf } from './query-text.ts'

export const statusValues = [
  'unresolved',
  'new',
  'regressed',
  'escalating',
  'ongoing',
  'triage',
  'resolved',
  'ignored',
] as const

export const levelValues = ['fatal', 'error', 'warning', 'info', 'debug'] as const

export type FilterName = 'status' | 'level' | 'assignee' | 'environment' | 'release'

interface FilterRule {
  /** The first one is written. */
  readonly fields: readonly string[]
  /** `is:` has values of several filters. */
  readonly values?: ReadonlySet<string>
}

const rules: Readonly<Record<FilterName, FilterRule>> = {
  status: { fields: ['is'], values: new Set(statusValues) },
  level: { fields: ['level'] },
  assignee: { fields: ['assigned', 'assignee'] },
  environment: { fields: ['environment'] },
  release: { fields: ['release'] },
}

export interface FilterState {
  /** All values of its terms; empty when the filter is not used. */
  readonly values: readonly string[]
  readonly isNegated: boolean
}

export function readFilter(query: string, name: FilterName): FilterState {
  const terms = termsOfFilter(query, name)
  return {
    values: terms.flatMap((term) => valuesOf(query, term)),
    isNegated: terms.some((term) => term.isNegated),
  }
}

/** Writes the value in place of the filter's first term, or at the end. Undefined removes it. */
export function writeFilter(query: string, name: FilterName, value: string | undefined): string {
  const terms = termsOfFilter(query, name)
  const field = rules[name].fields[0]
  const text = value === undefined ? '' : `${field}:${quoteValue(value)}`
  const [first, ...others] = terms
  if (first === undefined) {
    if (value === undefined) return tidy(query)
    return tidy(hasJoint(query) ? `(${query}) ${text}` : `${query} ${text}`)
  }
  let changed = query
  for (const term of [...others].reverse()) changed = cut(changed, term, '')
  return tidy(cut(changed, first, text))
}

export function hasFilter(query: string): boolean {
  return termsOf(query).length > 0
}

function termsOfFilter(query: string, name: FilterName): readonly QueryTerm[] {
  const { fields, values } = rules[name]
  // In a group, or beside an OR, a term is no filter of all that is found.
  if (hasJoint(query)) return []
  return termsOf(query).filter((term) => {
    if (term.depth > 0) return false
    if (term.field === undefined || term.isTag || !fields.includes(term.field)) return false
    return values === undefined || valuesOf(query, term).every((value) => values.has(value))
  })
}

/** An OR or AND outside of parentheses: without one of its sides the query would be invalid. */
function hasJoint(query: string): boolean {
  return termsOf(query).some(({ isJoint, depth }) => isJoint && depth === 0)
}

function cut(query: string, term: QueryTerm, text: string): string {
  return query.slice(0, term.start) + text + query.slice(term.end)
}

/** White space between terms only; the texts in quotes are kept. */
function tidy(query: string): string {
  let tidied = ''
  let at = 0
  for (const { start, end } of termsOf(query)) {
    // Between terms there may be parentheses.
    tidied += query.slice(at, start).replace(/\s+/g, ' ') + query.slice(start, end)
    at = end
  }
  return (tidied + query.slice(at).replace(/\s+/g, ' ')).trim()
}
