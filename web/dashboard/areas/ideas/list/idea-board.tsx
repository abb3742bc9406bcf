import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { formatCompact } from '../../../design/content/format.ts'
import { ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Icon } from '../../../design/icon.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { usePages } from '../../../http/use-pages.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath } from '../../../url/use-project.ts'
import {
  type Idea,
  ideasList,
  type SettableStatus,
  settableStatuses,
  statusTones,
} from '../common/idea.ts'
import { TagChip } from '../common/tag-chip.tsx'
import { changeStatus } from './change-status.ts'
import { type IdeaFilters, queryOf } from './idea-filters.ts'

interface BoardProps {
  readonly projectId: string
  readonly filters: IdeaFilters
}

/** Columns by status. A card moves by dragging, by its menu, or with `[` and `]`. */
export function IdeaBoard({ projectId, filters }: BoardProps) {
  const dragged = useRef<Idea | undefined>(undefined)
  const [over, setOver] = useState<SettableStatus>()
  const [said, setSaid] = useState('')
  const move = (idea: Idea, status: SettableStatus) => {
    setSaid(`${idea.title} moved to ${status}`)
    void changeStatus(projectId, idea, status)
  }
  return (
    <>
      <p class="screen-reader" role="status">
        {said}
      </p>
      {canWrite.value && (
        <p class="ideas-board-hint">
          Drag a card, use its menu, or press <kbd class="kbd">[</kbd> and <kbd class="kbd">]</kbd>{' '}
          on a focused card.
        </p>
      )}
      <div class="ideas-board">
        {settableStatuses.map((status) => (
          <Column
            key={status}
            projectId={projectId}
            filters={filters}
            status={status}
            isOver={over === status}
            onOver={(isOver) =>
              setOver((before) => (isOver ? status : before === status ? undefined : before))
            }
            onDrag={(idea) => {
              dragged.current = idea
            }}
            onDrop={() => {
              setOver(undefined)
              if (dragged.current !== undefined) move(dragged.current, status)
            }}
            onMove={move}
          />
        ))}
      </div>
    </>
  )
}

interface ColumnProps extends BoardProps {
  readonly status: SettableStatus
  readonly isOver: boolean
  readonly onOver: (isOver: boolean) => void
  readonly onDrag: (idea: Idea | undefined) => void
  readonly onDrop: () => void
  readonly onMove: (idea: Idea, status: SettableStatus) => void
}

function Column(props: ColumnProps) {
  const { projectId, filters, status, isOver, onOver, onDrag, onDrop, onMove } = props
  const query = { ...queryOf(filters, status), moderation: 'published' as const }
  const pages = usePages(
    ideasList,
    { params: { project_id: projectId }, query },
    { topics: ['ideas', 'moderation'], keepPrevious: true },
  )
  const isKnown = pages.items.length > 0 || !(pages.isLoading || pages.problem !== undefined)
  const count = pages.hasMore ? `${pages.items.length}+` : String(pages.items.length)
  return (
    <section
      class="ideas-column"
      aria-label={status}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        onOver(true)
      }}
      onDragLeave={(event) => {
        const to = event.relatedTarget
        if (!(to instanceof Node) || !event.currentTarget.contains(to)) onOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        onDrop()
      }}
    >
      <h2 class="ideas-column-head">
        <Badge tone={statusTones[status]}>{status}</Badge>
        {isKnown && <span class="soft number">{count}</span>}
      </h2>
      {!isKnown && pages.problem !== undefined ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={3} height={64} />
      ) : (
        <ul class="ideas-cards">
          {pages.items.map((idea) => (
            <Card key={idea.id} idea={idea} projectId={projectId} onDrag={onDrag} onMove={onMove} />
          ))}
          {pages.items.length === 0 && <li class="ideas-column-empty">No ideas</li>}
        </ul>
      )}
      {pages.hasMore && (
        <Button size="s" kind="quiet" busy={pages.isLoadingMore} onClick={pages.loadMore}>
          Show more
        </Button>
      )}
    </section>
  )
}

interface CardProps extends Pick<ColumnProps, 'projectId' | 'onDrag' | 'onMove'> {
  readonly idea: Idea
}

function Card({ idea, projectId, onDrag, onMove }: CardProps) {
  const { route } = useLocation()
  const href = projectPath(projectId, `ideas/${idea.id}`)
  const step = (by: number) => {
    const at = settableStatuses.indexOf(idea.status as SettableStatus)
    const next = settableStatuses[at + by]
    if (next !== undefined) onMove(idea, next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!canWrite.value || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '[' || event.key === ']') {
      event.preventDefault()
      step(event.key === ']' ? 1 : -1)
      focusAfterMove(idea.id)
    }
  }
  return (
    <li
      class="ideas-card"
      draggable={canWrite.value}
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', idea.title)
        onDrag(idea)
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <div class="ideas-card-head">
        <a href={href} data-idea={idea.id} draggable={false} onKeyDown={onKeyDown}>
          <bdi>{idea.title}</bdi>
        </a>
        {canWrite.value && (
          <Menu
            label={`Move ${idea.title}`}
            icon="more"
            hideLabel
            kind="quiet"
            size="s"
            actions={[
              ...settableStatuses.map((status) => ({
                label: `Move to ${status}`,
                disabled: status === idea.status,
                run: () => onMove(idea, status),
              })),
              { label: 'Open', icon: 'external' as const, run: () => route(href) },
            ]}
          />
        )}
      </div>
      <div class="ideas-card-foot">
        <span class="vote-count">
          <Icon name="arrowUp" size={12} /> {formatCompact(idea.vote_count)}
          <span class="screen-reader">votes</span>
        </span>
        {idea.comment_count > 0 && (
          <span class="vote-count">
            <Icon name="comment" size={12} /> {formatCompact(idea.comment_count)}
            <span class="screen-reader">comments</span>
          </span>
        )}
        {idea.tags.slice(0, 2).map((tag) => (
          <TagChip key={tag.slug} tag={tag} />
        ))}
      </div>
    </li>
  )
}

/** The card is drawn again in the other column; the focus follows it. */
function focusAfterMove(id: string): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const link = document.querySelector(`a[data-idea="${CSS.escape(id)}"]`)
      if (link instanceof HTMLElement) link.focus()
    }),
  )
}
