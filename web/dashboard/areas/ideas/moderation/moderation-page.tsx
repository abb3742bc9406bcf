import { useEffect, useState } from 'preact/hooks'
import { ButtonLink } from '../../../design/button.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { Icon } from '../../../design/icon.tsx'
import { decidedIds, heldIds, useHeldDecisions } from '../../../http/held-decisions.ts'
import { usePages } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { nameOfAuthor } from '../common/idea.ts'
import { moderationList, type QueueItem } from './decide.ts'
import { ModerationItem } from './moderation-item.tsx'
import './moderation.css'

/** The queue at the left, the item to decide on beside it. */
export function ModerationPage() {
  const projectId = useProjectId()
  const { get, set } = useSearchParams()
  const wanted = get('kind')
  const kind = wanted === 'idea' || wanted === 'comment' ? wanted : undefined
  const params = { project_id: projectId }
  const topics = ['moderation'] as const
  const pages = usePages(
    moderationList,
    { params, query: { limit: 50, ...(kind === undefined ? {} : { kind }) } },
    { topics, keepPrevious: true },
  )
  useHeldDecisions()
  const items = pages.items.filter(({ id }) => !decidedIds.value.has(id))
  const current = useCurrent(items, get('at'))
  return (
    <Page
      title="Moderation"
      wide
      bar={<KindTabs projectId={projectId} kind={kind} held={heldIds.value.length} />}
    >
      {pages.problem !== undefined && items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton lines={6} height={40} />
      ) : current === undefined ? (
        <NothingToModerate projectId={projectId} />
      ) : (
        <div class="moderation">
          <div class="moderation-queue">
            <WindowedList
              label="Waiting for a decision"
              items={items}
              keyOf={({ id }) => id}
              rowHeight={60}
              current={current.id}
              onCurrent={(at) => set({ at }, 'replace')}
              onEnd={pages.loadMore}
              renderRow={(item) => (
                <QueueRow item={item} onOpen={() => set({ at: item.id }, 'replace')} />
              )}
            />
          </div>
          <ModerationItem key={current.id} projectId={projectId} item={current} />
        </div>
      )}
    </Page>
  )
}

/** After a decision the next item takes the place of the decided one. */
function useCurrent(items: readonly QueueItem[], at: string | undefined): QueueItem | undefined {
  const [place, setPlace] = useState(0)
  const index = items.findIndex(({ id }) => id === at)
  useEffect(() => {
    if (index >= 0) setPlace(index)
  }, [index])
  return items[index >= 0 ? index : Math.min(place, items.length - 1)]
}

function QueueRow({ item, onOpen }: { readonly item: QueueItem; readonly onOpen: () => void }) {
  return (
    <button type="button" class="moderation-row" onClick={onOpen}>
      <Icon name={item.kind === 'idea' ? 'lightbulb' : 'comment'} />
      <span class="moderation-row-text">
        <span class="moderation-row-title">
          <bdi>{item.kind === 'idea' ? item.title : item.text}</bdi>
        </span>
        <span class="soft small truncate">
          {item.kind === 'idea' ? 'Idea' : `Comment on ${item.title}`} · {nameOfAuthor(item.author)}
        </span>
      </span>
      <span class="soft small">
        <Time at={item.created_at} />
      </span>
    </button>
  )
}

interface TabsProps {
  readonly projectId: string
  readonly kind: 'idea' | 'comment' | undefined
  /** Decisions that the server does not know yet. */
  readonly held: number
}

function KindTabs({ projectId, kind, held }: TabsProps) {
  const { text } = useSearchParams()
  const params = { project_id: projectId }
  const topics = ['moderation'] as const
  const all = useRead(moderationList, { params, query: { limit: 1 } }, { topics }).data?.total
  const ideas = useRead(moderationList, { params, query: { limit: 1, kind: 'idea' } }, { topics })
    .data?.total
  const href = (wanted: string | undefined) => {
    const query = new URLSearchParams(text)
    query.delete('at')
    if (wanted === undefined) query.delete('kind')
    else query.set('kind', wanted)
    const after = query.toString()
    return after === '' ? location.pathname : `${location.pathname}?${after}`
  }
  const isExact = held === 0
  const comments = all === undefined || ideas === undefined ? undefined : all - ideas
  return (
    <>
      <Tabs
        label="Kinds"
        tabs={[
          { label: 'All', href: href(undefined), current: kind === undefined, count: all },
          { label: 'Ideas', href: href('idea'), current: kind === 'idea', count: ideas },
          {
            label: 'Comments',
            href: href('comment'),
            current: kind === 'comment',
            count: comments,
          },
        ]}
      />
      {!isExact && (
        <span class="soft small" role="status">
          {formatNumber(held)} decided, sent in a moment
        </span>
      )}
    </>
  )
}

function NothingToModerate({ projectId }: { readonly projectId: string }) {
  const settings = useRead('GET /api/v1/admin/portal/{project_id}/settings', {
    params: { project_id: projectId },
  }).data
  return (
    <EmptyState icon="check" title="Nothing waits for a decision">
      <p>
        {settings?.moderation === 'off'
          ? 'Ideas and comments are published at once. You can ask for approval first.'
          : settings?.moderation === 'ideas'
            ? 'New ideas wait here for approval. Comments are published at once.'
            : 'New ideas and comments wait here for approval.'}
      </p>
      <ButtonLink href={projectPath(projectId, 'portal?tab=rules')}>Moderation settings</ButtonLink>
    </EmptyState>
  )
}
