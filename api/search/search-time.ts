import type { FieldTerm } from '#schemas/search/search-query.ts'
import { parseTimeSpan, type TimeSpan } from '#schemas/search/time-span.ts'
import { searchError } from './search-error.ts'

/** Throws an error that names the character at which no time is. */
export function readTimeSpan(term: FieldTerm, nowMs: number): TimeSpan {
  const span = parseTimeSpan(term, nowMs)
  if (span.kind === 'error') throw searchError(span)
  return span
}
