import type { ProjectId } from '#schemas/ids.ts'
import type { AlertFilter } from '#schemas/rest/alerts/alert.ts'
import { isAboutReleases } from '#schemas/search/release-term.ts'
import { type FieldTerm, termsIn } from '#schemas/search/search-query.ts'
import { type EventSearch, eventSearch } from '../../search/event-search.ts'
import { readReleases } from '../../search/release-list.ts'
import { factsAt } from '../../search/search-facts.ts'
import { termsOf } from '../check-rule.ts'
import type { PreviewContext } from './preview-scope.ts'

/** Translates `if` into conditions on the events in ClickHouse; undefined if all events match. */
export async function filterSearch(
  filter: AlertFilter,
  projectId: ProjectId,
  ctx: PreviewContext,
): Promise<EventSearch | undefined> {
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
  if (terms.length === 0) return undefined
  const ofReleases = termsIn(terms).filter((term) => term.kind === 'field' && isAboutReleases(term))
  const facts = factsAt(ctx.clock.nowMs())
  if (ofReleases.length === 0) return eventSearch(terms, facts)
  return eventSearch(terms, { ...facts, releases: await readReleases(ofReleases, projectId, ctx) })
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
