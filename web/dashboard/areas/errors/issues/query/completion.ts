/** What is being typed at the caret: the name of a field, or a value of one. */
import { endOfItem, type QueryTerm, quoteField, quoteValue, termsOf } from './query-text.ts'

export interface TypedField {
  readonly kind: 'field'
  readonly prefix: string
  /** The part of the query that a choice replaces. */
  readonly start: number
  readonly end: number
}

export interface TypedValue {
  readonly kind: 'value'
  readonly field: string
  /** Written as tags[field]. */
  readonly isTag: boolean
  readonly prefix: string
  readonly start: number
  readonly end: number
  readonly isInList: boolean
}

export type Typed = TypedField | TypedValue

export interface Completed {
  readonly query: string
  readonly caret: number
}

export function typedAt(query: string, caret: number): Typed {
  const term = termsOf(query).find(({ start, end }) => start < caret && caret <= end)
  if (term === undefined) return { kind: 'field', prefix: '', start: caret, end: caret }
  if (term.field !== undefined && caret >= term.valueStart) return typedValue(query, term, caret)
  const start = term.start + (term.isNegated ? 1 : 0)
  const end = term.field === undefined ? term.end : term.valueStart
  return { kind: 'field', prefix: query.slice(start, Math.max(start, caret)), start, end }
}

export function completeField(
  query: string,
  typed: TypedField,
  field: { readonly name: string; readonly isTagLikeField: boolean },
): Completed {
  const text = `${quoteField(field.name, field.isTagLikeField)}:`
  const caret = typed.start + text.length
  return { query: query.slice(0, typed.start) + text + query.slice(typed.end), caret }
}

/** `raw` values are written as they are: `>100`, `-24h`. */
export function completeValue(
  query: string,
  typed: TypedValue,
  value: { readonly text: string; readonly raw?: boolean },
): Completed {
  const written = value.raw === true ? value.text : quoteValue(value.text)
  const rest = query.slice(typed.end)
  const gap = typed.isInList || /^\s/.test(rest) ? '' : ' '
  const before = query.slice(0, typed.start) + written + gap
  const isAtSpace = gap === '' && !typed.isInList
  return { query: before + rest, caret: before.length + (isAtSpace ? 1 : 0) }
}

function typedValue(query: string, term: QueryTerm, caret: number): TypedValue {
  const { field = '', isTag } = term
  const operator = /^(?:>=|<=|>|<|=)/.exec(query.slice(term.valueStart, term.end))?.[0] ?? ''
  const valueStart = term.valueStart + operator.length
  if (query[valueStart] !== '[' || caret <= valueStart) {
    const prefix = query.slice(term.valueStart, caret).replace(/^"/, '')
    const { valueStart: start, end } = term
    return { kind: 'value', field, isTag, prefix, start, end, isInList: false }
  }
  let start = valueStart + 1
  let end = endOfItem(query, start)
  while (end < caret && query[end] === ',') {
    start = end + 1
    end = endOfItem(query, start)
  }
  while (start < end && /\s/.test(query[start] ?? '')) start += 1
  const prefix = query.slice(start, Math.max(start, caret)).replace(/^"/, '')
  return {
    kind: 'value',
    field,
    isTag,
    prefix,
    start,
    end: Math.min(end, term.end),
    isInList: true,
  }
}
