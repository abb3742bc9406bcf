/** The address of the list of ideas as filters, and back. */

import type { Input } from '../../../http/request.ts'
import { type Idea, type IdeaStatus, type ideasList, isIdeaStatus } from '../common/idea.ts'

export interface IdeaFilters {
  readonly view: 'list' | 'board'
  readonly sort: 'votes' | 'newest'
  readonly status: IdeaStatus | undefined
  readonly moderation: Idea['moderation'] | undefined
  readonly tag: string | undefined
  readonly search: string
}

type Get = (name: string) => string | undefined

/** Values that mean nothing are ignored, so that an edited link still shows a list. */
export function filtersOf(get: Get): IdeaFilters {
  const status = get('status')
  const moderation = get('moderation')
  return {
    view: get('view') === 'board' ? 'board' : 'list',
    sort: get('sort') === 'newest' ? 'newest' : 'votes',
    status: isIdeaStatus(status) ? status : undefined,
    moderation:
      moderation === 'published' || moderation === 'pending' || moderation === 'rejected'
        ? moderation
        : undefined,
    tag: get('tag')?.slice(0, 200),
    search: (get('search') ?? '').slice(0, 200),
  }
}

/** The query of the API; the board asks for one status at a time. */
export function queryOf(
  filters: IdeaFilters,
  status = filters.status,
): NonNullable<Input<typeof ideasList>['query']> {
  const { sort, moderation, tag, search } = filters
  return {
    limit: 50,
    sort,
    ...(status === undefined ? {} : { status }),
    ...(moderation === undefined ? {} : { moderation }),
    ...(tag === undefined ? {} : { tag }),
    ...(search.trim() === '' ? {} : { search: search.trim() }),
  }
}

export function isFiltered(filters: IdeaFilters): boolean {
  const { status, moderation, tag, search } = filters
  return [status, moderation, tag].some((value) => value !== undefined) || search.trim() !== ''
}
