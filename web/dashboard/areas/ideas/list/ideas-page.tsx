import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { SearchField } from '../../../design/forms/search-field.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { ideaStatuses } from '../common/idea.ts'
import { usePortalKey } from '../common/portal-key.ts'
import { IdeaBoard } from './idea-board.tsx'
import { filtersOf, type IdeaFilters } from './idea-filters.ts'
import { IdeaList } from './idea-list.tsx'
import { NewIdeaDialog } from './new-idea-dialog.tsx'
import './ideas.css'
import '../common/shared.css'

export function IdeasPage() {
  const projectId = useProjectId()
  const { get, set } = useSearchParams()
  const { route } = useLocation()
  const filters = filtersOf(get)
  const isNew = get('new') !== undefined
  const [isClosing, setClosing] = useState(false)
  const toggleView = () => set({ view: filters.view === 'board' ? undefined : 'board' })
  useShortcuts([
    { keys: 'b', label: 'List or board', group: 'Ideas', run: toggleView },
    ...(canWrite.value
      ? [{ keys: 'n', label: 'New idea', group: 'Ideas', run: () => set({ new: '1' }) }]
      : []),
  ])
  const to = (page: string) => route(projectPath(projectId, page))
  return (
    <Page
      title="Ideas"
      wide
      actions={
        <>
          <Menu
            label="More"
            kind="quiet"
            icon="more"
            hideLabel
            actions={[
              { label: 'Comments', icon: 'comment', run: () => to('ideas/comments') },
              { label: 'Tags', icon: 'tag', run: () => to('ideas/tags') },
              { label: 'Import and export', icon: 'upload', run: () => to('ideas/files') },
              { label: 'Portal', icon: 'globe', run: () => to('portal') },
            ]}
          />
          {canWrite.value && (
            <Button kind="primary" icon="plus" onClick={() => set({ new: '1' })}>
              New idea
            </Button>
          )}
        </>
      }
      bar={<FilterBar filters={filters} projectId={projectId} />}
    >
      {filters.view === 'board' ? (
        <IdeaBoard projectId={projectId} filters={filters} />
      ) : (
        <IdeaList projectId={projectId} filters={filters} />
      )}
      {isNew && !isClosing && (
        <NewIdeaDialog
          projectId={projectId}
          onClose={() => set({ new: undefined }, 'replace')}
          onCreated={(id) => {
            setClosing(true)
            to(`ideas/${id}`)
          }}
        />
      )}
    </Page>
  )
}

function FilterBar({ filters, projectId }: { filters: IdeaFilters; projectId: string }) {
  const { set, get } = useSearchParams()
  const tags = useRead(
    'GET /api/v1/admin/portal/{project_id}/tags',
    { params: { project_id: projectId } },
    { topics: ['ideas'] },
  ).data?.items
  const isBoard = filters.view === 'board'
  return (
    <>
      {!isBoard && <StatusTabs filters={filters} projectId={projectId} />}
      <div class="ideas-filters">
        <SearchField
          label="Search ideas"
          value={filters.search}
          onText={(search) => set({ search }, 'replace')}
        />
        {tags !== undefined && (tags.length > 0 || filters.tag !== undefined) && (
          <SelectField
            label="Tag"
            hideLabel
            value={filters.tag ?? ''}
            choices={[
              { value: '', label: 'All tags' },
              ...tags.map(({ slug, name }) => ({ value: slug, label: name })),
            ]}
            onValue={(tag) => set({ tag })}
          />
        )}
        <SelectField
          label="Sort"
          hideLabel
          value={filters.sort}
          choices={[
            { value: 'votes', label: 'Most votes' },
            { value: 'newest', label: 'Newest' },
          ]}
          onValue={(sort) => set({ sort: sort === 'votes' ? undefined : sort })}
        />
        {!isBoard && (
          <SelectField
            label="Moderation"
            hideLabel
            value={filters.moderation ?? ''}
            choices={[
              { value: '', label: 'Published or not' },
              { value: 'published', label: 'Published' },
              { value: 'pending', label: 'Pending' },
              { value: 'rejected', label: 'Rejected' },
            ]}
            onValue={(moderation) => set({ moderation })}
          />
        )}
        <nav class="view-switch" aria-label="View">
          {(['list', 'board'] as const).map((view) => (
            <a
              key={view}
              href={withView(get, view)}
              aria-current={filters.view === view ? 'page' : undefined}
            >
              {view === 'list' ? 'List' : 'Board'}
            </a>
          ))}
        </nav>
      </div>
    </>
  )
}

function withView(get: (name: string) => string | undefined, view: 'list' | 'board'): string {
  const query = new URLSearchParams()
  for (const name of ['sort', 'tag', 'search']) {
    const value = get(name)
    if (value !== undefined) query.set(name, value)
  }
  if (view === 'board') query.set('view', view)
  const text = query.toString()
  return text === '' ? location.pathname : `${location.pathname}?${text}`
}

function StatusTabs({ filters, projectId }: { filters: IdeaFilters; projectId: string }) {
  const { text } = useSearchParams()
  const key = usePortalKey(projectId)
  const stats = useRead(
    'GET /api/v1/p/{project_key}/ideas/stats',
    { params: { project_key: key ?? '' } },
    { enabled: key !== undefined, topics: ['ideas', 'moderation'] },
  ).data
  const href = (status: string | undefined) => {
    const query = new URLSearchParams(text)
    if (status === undefined) query.delete('status')
    else query.set('status', status)
    const wanted = query.toString()
    return wanted === '' ? location.pathname : `${location.pathname}?${wanted}`
  }
  const countOf = (status: string) =>
    stats && (stats.counts.find((entry) => entry.status === status)?.count ?? 0)
  return (
    <Tabs
      label="Status"
      tabs={[
        {
          label: 'All',
          href: href(undefined),
          current: filters.status === undefined,
          count: stats?.total,
        },
        ...ideaStatuses.map((status) => ({
          label: status,
          href: href(status),
          current: filters.status === status,
          count: countOf(status),
        })),
      ]}
    />
  )
}
