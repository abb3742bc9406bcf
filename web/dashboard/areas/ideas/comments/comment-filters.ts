/** The address of the list of comments as filters. */
import type { Input } from '../../../http/request.ts'
import type { Item } from '../../../http/use-pages.ts'
import type { commentsForTeam } from '../common/idea.ts'

export type TeamComment = Item<typeof commentsForTeam>

export interface CommentFilters {
  readonly moderation: TeamComment['moderation'] | undefined
  /** `team`, or the id of a portal user. */
  readonly author: string | undefined
  readonly ideaId: string | undefined
  readonly search: string
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Values that mean nothing are ignored, so that an edited link still shows a list. */
export function filtersOf(get: (name: string) => string | undefined): CommentFilters {
  const moderation = get('moderation')
  const author = get('author')
  const ideaId = get('idea')
  return {
    moderation:
      moderation === 'published' || moderation === 'pending' || moderation === 'rejected'
        ? moderation
        : undefined,
    author: author === 'team' || uuidPattern.test(author ?? '') ? author : undefined,
    ideaId: uuidPattern.test(ideaId ?? '') ? ideaId : undefined,
    search: (get('search') ?? '').slice(0, 200),
  }
}

export function queryOf(
  filters: CommentFilters,
): NonNullable<Input<typeof commentsForTeam>['query']> {
  const { moderation, author, ideaId, search } = filters
  return {
    limit: 50,
    ...(moderation === undefined ? {} : { moderation }),
    ...(author === undefined ? {} : { author }),
    ...(ideaId === undefined ? {} : { idea_id: ideaId }),
    ...(search.trim() === '' ? {} : { search: search.trim() }),
  }
}

export function isFiltered({ moderation, author, ideaId, search }: CommentFilters): boolean {
  return [moderation, author, ideaId].some((one) => one !== undefined) || search.trim() !== ''
}
