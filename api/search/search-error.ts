import { CodedError } from '#schemas/error-codes.ts'
import { parseSearch, type SearchError, type SearchTerm } from '#schemas/search/search-query.ts'

/** Parses a query. Throws an error that names the character at which the query is invalid. */
export function readSearch(text: string | undefined): readonly SearchTerm[] {
  const query = parseSearch(text ?? '')
  if (query.kind === 'error') throw searchError(query)
  return query.terms
}

export function searchError({ position, end, rule }: Omit<SearchError, 'kind'>): CodedError {
  return new CodedError('validation_failed', {
    message: `\`query\`, at character ${position + 1}: ${rule}.`,
    details: [{ field: 'query', rule, position, end }],
  })
}
