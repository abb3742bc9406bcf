import { Badge } from '../../../design/content/badge.tsx'
import { formatDuration, formatExact } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { usePages } from '../../../http/use-pages.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { issuesHref, releaseHref } from '../releases/release-paths.ts'
import { outcomeOf, type Run, runLabels, runTones, timeOf } from './run-look.ts'

const statuses = ['running', 'closed', 'missed', 'overrunning'] as const
const statusLabels = {
  running: 'Running',
  closed: 'Ended',
  missed: 'Missed',
  overrunning: 'Overrunning',
}

const head = {
  row: 'monitor-run',
  columns: [
    'Result',
    'Environment',
    'Started',
    { label: 'Duration', class: 'monitor-duration' },
    'Release',
    '',
  ],
}

/** Every run, newest first. */
export function RunList({
  slug,
  environment,
}: {
  readonly slug: string
  readonly environment: string | undefined
}) {
  const project_id = useProjectId()
  const { get, set } = useSearchParams()
  const status = statuses.find((one) => one === get('status'))
  const pages = usePages(
    'GET /api/v1/projects/{project_id}/monitors/{slug}/runs',
    {
      params: { project_id, slug },
      query: {
        limit: 50,
        ...(environment === undefined ? {} : { environment }),
        ...(status === undefined ? {} : { status }),
      },
    },
    { topics: ['monitors'], keepPrevious: true },
  )
  return (
    <Panel
      title="Runs"
      flush
      actions={
        <div class="reports-choice">
          <SelectField
            label="Status"
            hideLabel
            value={status ?? ''}
            choices={[
              { value: '', label: 'All runs' },
              ...statuses.map((value) => ({ value, label: statusLabels[value] })),
            ]}
            onValue={(value) => set({ status: value })}
          />
        </div>
      }
    >
      {pages.problem !== undefined && pages.items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton />
      ) : pages.items.length === 0 ? (
        <EmptyState icon="clock" title={status === undefined ? 'No run yet' : 'No such run'} />
      ) : (
        <WindowedList
          label="Runs"
          head={head}
          items={pages.items}
          keyOf={({ id }) => id}
          rowHeight={41}
          onEnd={pages.loadMore}
          renderRow={(run) => <RunRow run={run} />}
        />
      )}
    </Panel>
  )
}

function RunRow({ run }: { readonly run: Run }) {
  const projectId = useProjectId()
  const outcome = outcomeOf(run)
  const { duration_ms: ms, event_id: eventId, release } = run
  return (
    <div class="monitor-run">
      <span>
        <Badge tone={runTones[outcome]}>{runLabels[outcome]}</Badge>
      </span>
      <span>{run.environment}</span>
      <span
        class="soft"
        title={run.expected_at === null ? undefined : `Expected ${formatExact(run.expected_at)}`}
      >
        {outcome === 'missed' ? 'expected ' : ''}
        <Time at={timeOf(run)} />
      </span>
      <span class="monitor-duration">{ms === null ? '–' : formatDuration(ms)}</span>
      <span>{release !== null && <a href={releaseHref(projectId, release)}>{release}</a>}</span>
      <span>{eventId !== null && <a href={issuesHref(projectId, `id:${eventId}`)}>Event</a>}</span>
    </div>
  )
}
