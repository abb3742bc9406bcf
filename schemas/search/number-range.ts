/** Parses numbers in a search: `100`, `>100`, and `10..20` with both ends. */
import { type FieldTerm, plainText, type SearchError } from './search-query.ts'

/** Whole numbers; both ends belong to it. */
export interface NumberRange {
  readonly kind: 'range'
  readonly from: number
  /** Infinity without an upper end. */
  readonly to: number
}

const pattern = /^(\d{1,15})(?:\.\.(\d{1,15}))?$/

export function parseNumberRange(term: FieldTerm): NumberRange | SearchError {
  const { field, values, operator, valuePosition: position, end } = term
  const text = values.length === 1 ? plainText(values[0]!) : undefined
  const [, first, last] = (text === undefined ? null : pattern.exec(text)) ?? []
  if (first === undefined || (last !== undefined && operator !== '=')) {
    const rule = `must have a whole number after ${field}:, or a range such as 10..20`
    return { kind: 'error', position, end, rule }
  }
  const from = Number(first)
  const to = last === undefined ? from : Number(last)
  if (to < from) {
    return { kind: 'error', position, end, rule: 'must have the smaller number first in a range' }
  }
  const kind = 'range'
  switch (operator) {
    case '=':
      return { kind, from, to }
    case '>':
      return { kind, from: from + 1, to: Infinity }
    case '>=':
      return { kind, from, to: Infinity }
    case '<':
      return { kind, from: 0, to: from - 1 }
    case '<=':
      return { kind, from: 0, to: from }
  }
}
