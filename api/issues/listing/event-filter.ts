/** The part of an issue list's filter that is about events, which ClickHouse checks. */
import type { IssueListQuery } from '#schemas/rest/issue.ts'
import type { ApiContext } from '../../context.ts'
import type { EventFilter } from '../../events/event-store.ts'
import { eventSearch } from '../../search/event-search.ts'
import type { IssueSearch } from '../../search/issue-search.ts'

type Query = Pick<IssueListQuery, 'environment' | 'release' | 'component' | 'since' | 'until'>

/** Text and level are columns of issues and are filtered in Postgres. */
export function eventFilter(
  query: Query,
  { eventTerms }: IssueSearch,
  ctx: ApiContext,
): EventFilter {
  const { environment, release, component, since, until } = query
  const search = eventTerms.length === 0 ? undefined : eventSearch(eventTerms, ctx.clock.nowMs())
  return { environment, release, component, since, until, search }
}

/** Whether an issue is listed only if one of its events matches. */
export function isAboutEvents({ environment, release, component, search }: EventFilter): boolean {
  return (environment ?? release ?? component ?? search) !== undefined
}
