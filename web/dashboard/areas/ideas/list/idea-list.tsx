import { useLocation } from 'preact-iso'
import { ButtonLink } from '../../../design/button.tsx'
import { Avatar, Badge } from '../../../design/content/badge.tsx'
import { formatCompact, formatNumber } from '../../../design/content/format.ts'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { Icon } from '../../../design/icon.tsx'
import { usePages } from '../../../http/use-pages.ts'
import { projectPath } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { type Idea, ideasList, nameOfAuthor, statusTones } from '../common/idea.ts'
import { usePortalKey } from '../common/portal-key.ts'
import { TagChip } from '../common/tag-chip.tsx'
import { type IdeaFilters, isFiltered, queryOf } from './idea-filters.ts'

interface IdeaListProps {
  readonly projectId: string
  readonly filters: IdeaFilters
}

const head = {
  row: 'ideas-row',
  columns: ['Votes', 'Idea', '', '', 'Status', '', { label: 'Created', class: 'ideas-time' }],
}

export function IdeaList({ projectId, filters }: IdeaListProps) {
  const { route } = useLocation()
  const { get, set } = useSearchParams()
  const pages = usePages(
    ideasList,
    { params: { project_id: projectId }, query: queryOf(filters) },
    { topics: ['ideas', 'moderation'], keepPrevious: true },
  )
  if (pages.problem !== undefined && pages.items.length === 0) {
    return <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
  }
  if (pages.isLoading) return <Skeleton lines={8} height={28} />
  if (pages.items.length === 0) {
    return isFiltered(filters) ? <NothingFound /> : <NoIdeas projectId={projectId} />
  }
  return (
    <WindowedList
      label="Ideas"
      head={head}
      items={pages.items}
      keyOf={({ id }) => id}
      rowHeight={45}
      current={get('at')}
      onCurrent={(at) => set({ at }, 'replace')}
      onOpen={(idea) => route(projectPath(projectId, `ideas/${idea.id}`))}
      onEnd={pages.loadMore}
      renderRow={(idea) => <IdeaRow projectId={projectId} idea={idea} />}
    />
  )
}

function IdeaRow({ projectId, idea }: { readonly projectId: string; readonly idea: Idea }) {
  const author = nameOfAuthor(idea.author)
  return (
    <div class="ideas-row">
      <span class="ideas-votes" title={`${formatNumber(idea.vote_count)} votes`}>
        <Icon name="arrowUp" size={12} />
        <span class="number">{formatCompact(idea.vote_count)}</span>
        <span class="screen-reader">votes</span>
      </span>
      <a class="ideas-title" href={projectPath(projectId, `ideas/${idea.id}`)}>
        <bdi>{idea.title}</bdi>
      </a>
      <span class="ideas-tags">
        {idea.tags.slice(0, 2).map((tag) => (
          <TagChip key={tag.slug} tag={tag} />
        ))}
        {idea.tags.length > 2 && <span class="soft small">+{idea.tags.length - 2}</span>}
      </span>
      <span class="ideas-comments">
        {idea.comment_count > 0 && (
          <>
            <Icon name="comment" size={13} />
            <span class="number">{formatCompact(idea.comment_count)}</span>
            <span class="screen-reader">comments</span>
          </>
        )}
      </span>
      <span class="ideas-status">
        {idea.moderation === 'published' ? (
          <Badge tone={statusTones[idea.status]}>{idea.status}</Badge>
        ) : (
          <Badge tone={idea.moderation === 'pending' ? 'warning' : 'danger'}>
            {idea.moderation === 'pending' ? 'Pending' : 'Rejected'}
          </Badge>
        )}
      </span>
      <span class="ideas-author" title={author}>
        <Avatar name={author} size={18} />
        <span class="screen-reader">by {author}</span>
      </span>
      <span class="ideas-time">
        <Time at={idea.created_at} />
      </span>
    </div>
  )
}

function NothingFound() {
  return (
    <EmptyState icon="search" title="No idea matches">
      <p>Search for other words, or remove a filter.</p>
      <ButtonLink href={location.pathname}>Remove all filters</ButtonLink>
    </EmptyState>
  )
}

function NoIdeas({ projectId }: { readonly projectId: string }) {
  const key = usePortalKey(projectId)
  return (
    <EmptyState icon="lightbulb" title="No ideas yet">
      <p>Users suggest ideas on the portal. You can also write one down, or import a file.</p>
      <div class="row">
        {key !== undefined && (
          <a
            class="button button-plain button-m"
            href={`/portal/${key}`}
            target="_blank"
            rel="noopener"
          >
            Open the portal
          </a>
        )}
        <ButtonLink href={projectPath(projectId, 'ideas/files')}>Import ideas</ButtonLink>
      </div>
    </EmptyState>
  )
}
