import { CodedError } from '#schemas/error-codes.ts'
import { parseSearch, type SearchError, type SearchNode } from '#schemas/search/search-query.ts'

/** Parses a query. Throws an error that names the character at which the query is invalid. */
export function readSearch(text: string | undefined): readonly SearchNode[] {
  return readValue(parseSearch(text ?? '')).terms
}

/** Throws if what was parsed is an error. */
export function readValue<Parsed extends { readonly kind: string }>(
  parsed: Parsed | SearchError,
): Exclude<Parsed, SearchError> {
  if (parsed.kind === 'error') throw searchError(parsed as SearchError)
  return parsed as Exclude<Parsed, SearchError>
}

export function searchError({ position, end, rule }: Omit<SearchError, 'kind'>): CodedError {
  const stop = rule.endsWith('?') ? '' : '.'
  return new CodedError('validation_failed', {
    message: `\`query\`, at character ${position + 1}: ${rule}${stop}`,
    details: [{ field: 'query', rule, position, end }],
  })
}
