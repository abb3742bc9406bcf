import { useLocation } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { SearchField } from '../../../design/forms/search-field.tsx'
import { decidedIds, decideWithUndo, useHeldDecisions } from '../../../http/held-decisions.ts'
import { request } from '../../../http/request.ts'
import { usePages } from '../../../http/use-pages.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { commentsForTeam, nameOfAuthor } from '../common/idea.ts'
import { readsOfModeration } from '../moderation/decide.ts'
import {
  type CommentFilters,
  filtersOf,
  isFiltered,
  queryOf,
  type TeamComment,
} from './comment-filters.ts'
import { CommentRow } from './comment-row.tsx'
import './comments.css'

/** The comments of all ideas, newest first: for moderators who look for spam or an old text. */
export function CommentsPage() {
  const projectId = useProjectId()
  const { get, set } = useSearchParams()
  const { route } = useLocation()
  const filters = filtersOf(get)
  const pages = usePages(
    commentsForTeam,
    { params: { project_id: projectId }, query: queryOf(filters) },
    { topics: ['ideas', 'moderation'], keepPrevious: true },
  )
  useHeldDecisions()
  const items = pages.items.filter(({ id }) => !decidedIds.value.has(id))
  const ideaPath = ({ idea }: TeamComment) => projectPath(projectId, `ideas/${idea.id}`)
  const remove = (comment: TeamComment) =>
    decideWithUndo(
      {
        id: comment.id,
        send: () =>
          request('DELETE /api/v1/admin/portal/{project_id}/comments/{comment_id}', {
            params: { project_id: projectId, comment_id: comment.id },
          }),
        refetch: readsOfModeration,
        title: 'Delete the comment',
      },
      'Deleted the comment.',
    )
  return (
    <Page
      title="Comments"
      wide
      parent={{ label: 'Ideas', href: projectPath(projectId, 'ideas') }}
      bar={<FilterBar filters={filters} items={pages.items} />}
    >
      {pages.problem !== undefined && items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={8} height={40} />
      ) : items.length === 0 ? (
        <NoComments isFound={isFiltered(filters)} projectId={projectId} />
      ) : (
        <WindowedList
          label="Comments"
          items={items}
          keyOf={({ id }) => id}
          rowHeight={68}
          current={get('at')}
          onCurrent={(at) => set({ at }, 'replace')}
          onOpen={(comment) => route(ideaPath(comment))}
          onEnd={pages.loadMore}
          renderRow={(comment) => (
            <CommentRow
              projectId={projectId}
              comment={comment}
              onFilter={(change) => set({ ...change, at: undefined })}
              onDelete={() => remove(comment)}
            />
          )}
        />
      )}
    </Page>
  )
}

interface FilterBarProps {
  readonly filters: CommentFilters
  readonly items: readonly TeamComment[]
}

function FilterBar({ filters, items }: FilterBarProps) {
  const { set } = useSearchParams()
  const { author, ideaId } = filters
  const ofAuthor = items.find((comment) => comment.author?.id === author)?.author
  const ofIdea = items.find(({ idea }) => idea.id === ideaId)?.idea
  return (
    <div class="comments-filters">
      <SearchField
        label="Search comments"
        value={filters.search}
        onText={(search) => set({ search }, 'replace')}
      />
      <SelectField
        label="State"
        hideLabel
        value={filters.moderation ?? ''}
        choices={[
          { value: '', label: 'All states' },
          { value: 'published', label: 'Published' },
          { value: 'pending', label: 'Pending' },
          { value: 'rejected', label: 'Rejected' },
        ]}
        onValue={(moderation) => set({ moderation })}
      />
      {author !== undefined && (
        <Button size="s" icon="close" onClick={() => set({ author: undefined })}>
          {author === 'team'
            ? 'By the team'
            : `By ${ofAuthor ? nameOfAuthor(ofAuthor) : 'one user'}`}
        </Button>
      )}
      {ideaId !== undefined && (
        <Button size="s" icon="close" onClick={() => set({ idea: undefined })}>
          {ofIdea === undefined ? 'On one idea' : `On “${ofIdea.title}”`}
        </Button>
      )}
    </div>
  )
}

function NoComments({
  isFound,
  projectId,
}: {
  readonly isFound: boolean
  readonly projectId: string
}) {
  return isFound ? (
    <EmptyState icon="search" title="No comment matches">
      <p>Search for other words, or remove a filter.</p>
      <ButtonLink href={location.pathname}>Remove all filters</ButtonLink>
    </EmptyState>
  ) : (
    <EmptyState icon="comment" title="No comments yet">
      <p>Comments that users and the team write on ideas are listed here.</p>
      <ButtonLink href={projectPath(projectId, 'ideas')}>Open the ideas</ButtonLink>
    </EmptyState>
  )
}
