/** Compares texts in ClickHouse and in Postgres in the same way. */

import type { FieldTerm, SearchPattern } from '#schemas/search/search-query.ts'
import { searchError } from './search-error.ts'

/** A value without a star must be equal; a value with a star is matched case-insensitively. */
export function matches(
  expression: string,
  { pieces }: SearchPattern,
  bind: (value: string) => string,
): string {
  if (pieces.length === 1) return `${expression} = ${bind(pieces[0]!)}`
  return `${expression} ilike ${bind(likePattern(pieces))}`
}

/** Escapes `%`, `_` and the backslash. */
export function likePattern(pieces: readonly string[]): string {
  return pieces.map((piece) => piece.replace(/[\\%_]/g, '\\$&')).join('%')
}

export function requireEquality({ field, operator, valuePosition, end }: FieldTerm): void {
  if (operator === '=') return
  const rule = `must compare ${field} with a value alone: it is a text`
  throw searchError({ position: valuePosition, end, rule })
}
