import { useEffect, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { hrefOf } from '../../../http/request.ts'
import { usePages } from '../../../http/use-pages.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { BulkBar } from './bulk-bar.tsx'
import { changeFeedback, deleteFeedback } from './change-feedback.ts'
import { FeedbackBar } from './feedback-bar.tsx'
import { FeedbackRow } from './feedback-row.tsx'
import {
  type Feedback,
  type FeedbackFilters,
  filtersOf,
  inboxList,
  isListed,
  nextAfter,
  queryOf,
} from './feedback-view.ts'
import { NewFeedbackDialog } from './new-feedback-dialog.tsx'
import { NoFeedback } from './no-feedback.tsx'
import { ReadingPane } from './reading-pane.tsx'
import './feedback.css'

export function FeedbackPage() {
  const projectId = useProjectId()
  const { params } = useRoute()
  const { route } = useLocation()
  const { get, set, text } = useSearchParams()
  const filters = filtersOf(get)
  const openId = params['feedback_id']
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isDeleting, setDeleting] = useState(false)
  const pages = usePages(
    inboxList,
    { params: { project_id: projectId }, query: queryOf(filters) },
    { topics: ['feedback'], keepPrevious: true },
  )
  const { items } = pages
  const pathOf = (id: string | undefined) => {
    const path = projectPath(projectId, id === undefined ? 'feedback' : `feedback/${id}`)
    return text === '' ? path : `${path}?${text}`
  }
  const open = (id: string | undefined) => route(pathOf(id), true)
  useFirstOpen(openId === undefined && !pages.isPrevious ? items[0]?.id : undefined, open)
  const change = (changed: readonly Feedback[], how: Parameters<typeof changeOf>[1]) => {
    if (changed.length === 0) return
    const leaving = changed.filter((item) => !isListed(filters, { ...item, ...how }))
    const next = nextAfter(items, new Set(leaving.map(({ id }) => id)), openId)
    if (next !== openId) open(next)
    setSelected(new Set())
    void changeFeedback({ projectId, items: changed, filters, ...changeOf(changed, how) })
  }
  const chosen = items.filter(({ id }) => selected.has(id))
  const targets = () => (chosen.length > 0 ? chosen : items.filter(({ id }) => id === openId))
  const select = ({ id }: Feedback) =>
    setSelected((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  useShortcuts(
    canWrite.value
      ? [
          {
            keys: 'e',
            label: 'Resolve',
            group: 'Feedback',
            run: () => change(targets(), { status: 'Resolved' }),
          },
          {
            keys: 'y',
            label: 'Archive',
            group: 'Feedback',
            run: () => change(targets(), { archived: filters.view !== 'archived' }),
          },
          { keys: 'n', label: 'New feedback', group: 'Feedback', run: () => set({ new: '1' }) },
          {
            keys: 'Escape',
            label: 'Select nothing',
            group: 'Feedback',
            run: () => setSelected(new Set()),
          },
        ]
      : [],
  )
  return (
    <Page
      title="Feedback"
      wide
      actions={<PageActions projectId={projectId} onNew={() => set({ new: '1' })} />}
      bar={<FeedbackBar projectId={projectId} filters={filters} />}
    >
      {selected.size > 0 && (
        <BulkBar
          count={selected.size}
          isArchive={filters.view === 'archived'}
          onChange={(how) => change(chosen, how)}
          onDelete={() => setDeleting(true)}
          onClear={() => setSelected(new Set())}
        />
      )}
      <div class="feedback" data-open={openId !== undefined}>
        <div class="feedback-list">
          <List
            pages={pages}
            filters={filters}
            projectId={projectId}
            current={openId}
            selected={selected}
            onOpen={open}
            onSelect={select}
          />
        </div>
        {openId !== undefined && (
          <ReadingPane
            key={openId}
            projectId={projectId}
            feedbackId={openId}
            known={items.find(({ id }) => id === openId)}
            backHref={pathOf(undefined)}
            onChange={(item, how) => change([item], how)}
            onDeleted={() => open(nextAfter(items, new Set([openId]), openId))}
          />
        )}
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${countOf(chosen.length, 'item')}`}
          confirm="Delete"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            const ids = chosen.map(({ id }) => id)
            const next = nextAfter(items, new Set(ids), openId)
            const done = await deleteFeedback(projectId, ids)
            if (done !== true) return
            setSelected(new Set())
            if (next !== openId) open(next)
          }}
        >
          <p>This cannot be undone. Archived feedback is out of the way and stays.</p>
        </ConfirmDialog>
      )}
      {get('new') !== undefined && canWrite.value && (
        <NewFeedbackDialog
          projectId={projectId}
          onClose={() => set({ new: undefined }, 'replace')}
        />
      )}
    </Page>
  )
}

/** As in feedback.css: narrower screens show the list or one item. */
const bothShown = '(width >= 960px)'

/** Beside the list an item is always open, as in a mail program. */
function useFirstOpen(firstId: string | undefined, open: (id: string) => void): void {
  useEffect(() => {
    if (firstId !== undefined && matchMedia(bothShown).matches) open(firstId)
  }, [firstId])
}

type How = Pick<Partial<Feedback>, 'status' | 'type' | 'archived'>

function changeOf(items: readonly Feedback[], how: How) {
  const what = items.length === 1 ? 'The feedback' : countOf(items.length, 'item')
  const verb = items.length === 1 ? 'is' : 'are'
  const state =
    how.archived !== undefined
      ? how.archived
        ? 'archived'
        : 'in the inbox again'
      : how.status !== undefined
        ? `now ${how.status}`
        : `now of type ${how.type}`
  return { change: how, done: `${what} ${verb} ${state}.` }
}

interface ListProps {
  readonly pages: ReturnType<typeof usePages<typeof inboxList>>
  readonly filters: FeedbackFilters
  readonly projectId: string
  readonly current: string | undefined
  readonly selected: ReadonlySet<string>
  readonly onOpen: (id: string) => void
  readonly onSelect: (item: Feedback) => void
}

function List({ pages, filters, projectId, current, selected, onOpen, onSelect }: ListProps) {
  if (pages.problem !== undefined && pages.items.length === 0) {
    return <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
  }
  if (pages.isLoading) return <Skeleton lines={8} height={44} />
  if (pages.items.length === 0) {
    const isWhole = [filters.type, filters.status, filters.person, filters.issue, filters.version]
    const isFiltered = isWhole.some((value) => value !== undefined) || filters.search.trim() !== ''
    if (isFiltered) {
      return (
        <EmptyState icon="search" title="No feedback matches">
          <p>Search for other words, or remove a filter.</p>
        </EmptyState>
      )
    }
    return <NoFeedback projectId={projectId} view={filters.view} />
  }
  return (
    <WindowedList
      label="Feedback"
      items={pages.items}
      keyOf={({ id }) => id}
      rowHeight={76}
      current={current}
      onCurrent={onOpen}
      onEnd={pages.loadMore}
      {...(canWrite.value ? { onSelect } : {})}
      renderRow={(item) => (
        <FeedbackRow
          item={item}
          isSelected={selected.has(item.id)}
          isOpen={item.id === current}
          onOpen={() => onOpen(item.id)}
          {...(canWrite.value ? { onSelect: () => onSelect(item) } : {})}
        />
      )}
    />
  )
}

function PageActions({
  projectId,
  onNew,
}: {
  readonly projectId: string
  readonly onNew: () => void
}) {
  const { route } = useLocation()
  const exportAs = (format: 'csv' | 'json') => () => {
    const params = { project_id: projectId }
    location.assign(
      hrefOf('GET /api/v1/admin/feedback/{project_id}/export', { params, query: { format } }),
    )
  }
  if (!canWrite.value) return null
  return (
    <>
      <Menu
        label="More"
        icon="more"
        hideLabel
        kind="quiet"
        actions={[
          {
            label: 'Import',
            icon: 'upload',
            run: () => route(projectPath(projectId, 'feedback/files')),
          },
          { label: 'Export CSV', icon: 'download', run: exportAs('csv') },
          { label: 'Export JSON', icon: 'download', run: exportAs('json') },
        ]}
      />
      <Button icon="plus" onClick={onNew}>
        New feedback
      </Button>
    </>
  )
}
