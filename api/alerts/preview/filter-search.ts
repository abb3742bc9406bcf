import type { AlertFilter } from '#schemas/rest/alerts/alert.ts'
import type { FieldTerm } from '#schemas/search/search-query.ts'
import { type EventSearch, eventSearch } from '../../search/event-search.ts'
import { termsOf } from '../check-rule.ts'

/** Translates `if` into conditions on the events in ClickHouse; undefined if all events match. */
export function filterSearch(filter: AlertFilter, nowMs: number): EventSearch | undefined {
  const { tags = {} } = filter
  const terms = [
    ...fieldTerm('environment', filter.environment),
    ...fieldTerm('level', filter.level),
    ...fieldTerm('component', filter.component),
    ...fieldTerm('release', filter.release, { isGlob: true }),
    ...Object.entries(tags).flatMap(([key, values]) =>
      fieldTerm(key, values, { isGlob: true, isTag: true }),
    ),
    ...termsOf(filter),
  ]
  return terms.length === 0 ? undefined : eventSearch(terms, nowMs)
}

function fieldTerm(
  field: string,
  values: readonly string[] | undefined,
  { isGlob = false, isTag = false } = {},
): FieldTerm[] {
  if (values === undefined) return []
  return [
    {
      kind: 'field',
      field,
      isTag,
      operator: '=',
      values: values.map((value) => ({ pieces: isGlob ? value.split('*') : [value] })),
      isNegated: false,
      position: 0,
      valuePosition: 0,
      end: 0,
    },
  ]
}
