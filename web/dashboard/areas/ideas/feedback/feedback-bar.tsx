import { IconButton } from '../../../design/button.tsx'
import { Tabs } from '../../../design/content/page.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { SearchField } from '../../../design/forms/search-field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { projectPath } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import {
  doneStatuses,
  type FeedbackFilters,
  feedbackStats,
  feedbackTypes,
  openStatuses,
  type View,
} from './feedback-view.ts'

interface BarProps {
  readonly projectId: string
  readonly filters: FeedbackFilters
}

export function FeedbackBar({ projectId, filters }: BarProps) {
  const { set, text } = useSearchParams()
  const stats = useRead(
    feedbackStats,
    { params: { project_id: projectId } },
    { topics: ['feedback'] },
  ).data
  const sumOf = (names: readonly string[]) =>
    stats && names.reduce((sum, name) => sum + (stats.by_status[name] ?? 0), 0)
  const href = (view: View) => {
    const query = new URLSearchParams(text)
    query.delete('status')
    if (view === 'open') query.delete('view')
    else query.set('view', view)
    const path = projectPath(projectId, 'feedback')
    const after = query.toString()
    return after === '' ? path : `${path}?${after}`
  }
  const tab = (view: View, label: string, count: number | undefined) => ({
    label,
    href: href(view),
    current: filters.view === view,
    count,
  })
  return (
    <>
      <Tabs
        label="Views"
        tabs={[
          tab('open', 'Inbox', sumOf(openStatuses)),
          tab('done', 'Done', sumOf(doneStatuses)),
          tab('archived', 'Archived', stats?.archived),
          tab('all', 'All', stats?.total),
        ]}
      />
      <div class="feedback-filters">
        <SearchField
          label="Search feedback"
          value={filters.search}
          onText={(search) => set({ search }, 'replace')}
        />
        <SelectField
          label="Type"
          hideLabel
          value={filters.type ?? ''}
          choices={[
            { value: '', label: 'All types' },
            ...feedbackTypes.map((type) => {
              const count = stats?.by_type[type]
              return { value: type, label: count === undefined ? type : `${type} (${count})` }
            }),
          ]}
          onValue={(type) => set({ type })}
        />
        {filters.view === 'open' && (
          <SelectField
            label="Status"
            hideLabel
            value={filters.status ?? ''}
            choices={[
              { value: '', label: 'Open' },
              ...openStatuses.map((value) => {
                const count = stats?.by_status[value]
                return { value, label: count === undefined ? value : `${value} (${count})` }
              }),
            ]}
            onValue={(status) => set({ status })}
          />
        )}
        <Chip label="Person" value={filters.person} onRemove={() => set({ person: undefined })} />
        <Chip
          label="Release"
          value={filters.version}
          onRemove={() => set({ version: undefined })}
        />
        <Chip
          label="About"
          value={filters.issue === undefined ? undefined : 'one issue'}
          onRemove={() => set({ issue: undefined })}
        />
      </div>
    </>
  )
}

interface ChipProps {
  readonly label: string
  readonly value: string | undefined
  readonly onRemove: () => void
}

function Chip({ label, value, onRemove }: ChipProps) {
  if (value === undefined) return null
  return (
    <span class="feedback-chip">
      <span class="truncate">
        {label}: <bdi>{value}</bdi>
      </span>
      <IconButton size="s" icon="close" label={`Remove the filter ${label}`} onClick={onRemove} />
    </span>
  )
}
