import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Badge } from '../../../design/content/badge.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { usePages } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { type Monitor, MonitorStatus } from './monitor-status.tsx'
import { outcomeOf, runLabels } from './run-look.ts'
import { RunStrip } from './run-strip.tsx'
import { scheduleWords } from './schedule-words.ts'
import { CheckInSnippets } from './snippet-tabs.tsx'
import './monitors.css'

const head = {
  row: 'monitor-row',
  columns: ['Status', 'Monitor', 'Last 30 runs', 'Last run', 'Next expected'],
}

/** Recurring jobs with their state, their last runs and the next one. */
export function MonitorsPage() {
  const project_id = useProjectId()
  const { get, set } = useSearchParams()
  const { route } = useLocation()
  const pages = usePages(
    'GET /api/v1/projects/{project_id}/monitors',
    { params: { project_id }, query: { limit: 100 } },
    { topics: ['monitors'] },
  )
  const hrefOf = ({ slug }: Monitor) =>
    projectPath(project_id, `monitors/${encodeURIComponent(slug)}`)
  const failing = pages.items.filter(({ status, muted }) => status === 'failing' && !muted).length
  return (
    <Page
      title="Monitors"
      wide
      meta={failing > 0 ? <Badge tone="danger">{failing} failing</Badge> : undefined}
    >
      {pages.problem !== undefined && pages.items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton />
      ) : pages.items.length === 0 ? (
        <EmptyState icon="clock" title="No monitors yet">
          <p>
            A job reports when it starts and ends. When it is late, fails or takes too long, you get
            an issue. The first check-in creates its monitor.
          </p>
          <CheckInSnippets slug="nightly-backup" />
        </EmptyState>
      ) : (
        <Panel flush>
          <WindowedList
            label="Monitors"
            head={head}
            items={pages.items}
            keyOf={({ slug }) => slug}
            rowHeight={60}
            current={get('row')}
            onCurrent={(row) => set({ row }, 'replace')}
            onOpen={(monitor) => route(hrefOf(monitor))}
            onEnd={pages.loadMore}
            renderRow={(monitor) => <MonitorRow monitor={monitor} href={hrefOf(monitor)} />}
          />
        </Panel>
      )}
    </Page>
  )
}

function MonitorRow({ monitor, href }: { readonly monitor: Monitor; readonly href: string }) {
  const { last_run: last } = monitor
  return (
    <div class="monitor-row">
      <span>
        <MonitorStatus monitor={monitor} />
      </span>
      <span class="monitor-name">
        <a href={href}>{monitor.slug}</a>
        <span class="small soft">
          {scheduleWords(monitor.schedule)}
          {monitor.schedule !== null && `, ${monitor.timezone}`}
        </span>
      </span>
      <LastRuns monitor={monitor} />
      <span class="monitor-cell">
        <span class="monitor-label">Last run</span>
        {last === null ? (
          <span class="soft">none</span>
        ) : (
          <>
            {runLabels[outcomeOf(last)]}{' '}
            <span class="soft">
              <Time at={last.started_at ?? last.expected_at ?? last.closed_at} />
            </span>
          </>
        )}
      </span>
      <span class="monitor-cell">
        <span class="monitor-label">Next expected</span>
        {monitor.next_expected_at === null ? (
          <span class="soft">–</span>
        ) : (
          <Time at={monitor.next_expected_at} />
        )}
      </span>
    </div>
  )
}

const stripRuns = 30

/** Only rows on the screen read their runs, and only again when there is a new one. */
function LastRuns({ monitor }: { readonly monitor: Monitor }) {
  const project_id = useProjectId()
  const read = useRead('GET /api/v1/projects/{project_id}/monitors/{slug}/runs', {
    params: { project_id, slug: monitor.slug },
    query: { limit: stripRuns },
  })
  const last = `${monitor.last_run?.id} ${monitor.last_run?.status}`
  const seen = useRef(last)
  useEffect(() => {
    if (seen.current === last) return
    seen.current = last
    read.refetch()
  }, [last])
  return <RunStrip runs={read.data?.items ?? []} places={stripRuns} />
}
