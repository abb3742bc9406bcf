import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { ConfirmDialog, Dialog } from '../../../design/overlays/dialog.tsx'
import { Menu, type MenuAction } from '../../../design/overlays/menu.tsx'
import { editReply } from '../../../http/edit-cache.ts'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { EnvironmentChoice } from '../common/environment-choice.tsx'
import { Notice } from '../common/numbers.tsx'
import { issuesHref, searchValue } from '../releases/release-paths.ts'
import { MonitorAlerts } from './monitor-alerts.tsx'
import { MonitorForm } from './monitor-form.tsx'
import { isSnoozed, type Monitor, MonitorStatus, StatusBadge } from './monitor-status.tsx'
import { RunList } from './run-list.tsx'
import { RunChart } from './run-strip.tsx'
import { scheduleWords } from './schedule-words.ts'
import { CheckInSnippets } from './snippet-tabs.tsx'
import './monitors.css'

const operation = 'GET /api/v1/projects/{project_id}/monitors/{slug}'
const chartRuns = 90

/** One monitor: its runs over time, what it expects, and who is told. */
export function MonitorPage() {
  const project_id = useProjectId()
  const slug = useRoute().params['slug'] ?? ''
  const { get, set } = useSearchParams()
  const [isDeleting, setDeleting] = useState(false)
  const isEditing = get('edit') !== undefined
  const read = useRead(operation, { params: { project_id, slug } }, { topics: ['monitors'] })
  const change = changes(project_id, slug)
  const monitor = read.data
  const edit = () => set({ edit: '1' })
  useShortcuts(canWrite.value ? [{ keys: 'c', label: 'Edit the monitor', run: edit }] : [])
  return (
    <Page
      title={slug}
      parent={{ label: 'Monitors', href: projectPath(project_id, 'monitors') }}
      meta={monitor === undefined ? undefined : <MonitorStatus monitor={monitor} />}
      actions={
        <>
          <Button icon="code" onClick={() => set({ 'check-ins': '1' })}>
            Send check-ins
          </Button>
          {monitor !== undefined && canWrite.value && (
            <>
              <Menu
                label="More"
                icon="more"
                hideLabel
                actions={menuOf(monitor, change, () => setDeleting(true))}
              />
              <Button icon="edit" onClick={edit}>
                Edit
              </Button>
            </>
          )}
        </>
      }
    >
      <Loaded read={read}>
        {(data) => (
          <>
            {data.last_problem !== null && (
              <Notice>
                The check-in of <Time at={data.last_problem.at} /> in{' '}
                {data.last_problem.environment} was rejected or changed (
                <code>{data.last_problem.reason}</code>): {data.last_problem.detail}
              </Notice>
            )}
            <Runs monitor={data} />
            <div class="columns-even">
              <Panel title="Schedule">
                <MonitorFacts monitor={data} />
              </Panel>
              <Panel title="Events and alerts">
                <div class="stack small">
                  <a href={issuesHref(project_id, `monitor.slug:${searchValue(slug)}`)}>
                    Issues of this monitor
                  </a>
                  <MonitorAlerts />
                </div>
              </Panel>
            </div>
            <RunList slug={slug} environment={get('environment')} />
            {get('check-ins') !== undefined && (
              <Dialog
                title="Send check-ins"
                size="l"
                onClose={() => set({ 'check-ins': undefined }, 'replace')}
              >
                <CheckInSnippets slug={slug} />
              </Dialog>
            )}
            {isEditing && (
              <MonitorForm monitor={data} onClose={() => set({ edit: undefined }, 'replace')} />
            )}
            {isDeleting && <DeleteDialog slug={slug} onClose={() => setDeleting(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Runs({ monitor }: { readonly monitor: Monitor }) {
  const project_id = useProjectId()
  const { get } = useSearchParams()
  const environment = get('environment')
  const names = monitor.environments.map((one) => one.environment)
  const read = useRead(
    'GET /api/v1/projects/{project_id}/monitors/{slug}/runs',
    {
      params: { project_id, slug: monitor.slug },
      query: { limit: chartRuns, ...(environment === undefined ? {} : { environment }) },
    },
    { topics: ['monitors'], keepPrevious: true },
  )
  return (
    <Panel
      title={`Last ${countOf(read.data?.items.length ?? 0, 'run')}`}
      actions={names.length > 1 ? <EnvironmentChoice others={names} /> : undefined}
    >
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="clock" title="No run yet">
              <p>Runs appear here within a second after their check-in.</p>
            </EmptyState>
          ) : (
            <RunChart runs={items} maxRuntimeMs={monitor.max_runtime * 60_000} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function MonitorFacts({ monitor }: { readonly monitor: Monitor }) {
  const minutes = (count: number) => countOf(count, 'minute')
  return (
    <div class="stack">
      <Facts
        facts={[
          { name: 'Schedule', value: scheduleWords(monitor.schedule) },
          ...(monitor.schedule?.type === 'crontab'
            ? [{ name: 'Crontab', value: <code>{monitor.schedule.value}</code> }]
            : []),
          { name: 'Time zone', value: monitor.timezone },
          {
            name: 'Next expected',
            value: monitor.next_expected_at === null ? '–' : <Time at={monitor.next_expected_at} />,
          },
          { name: 'May be late', value: minutes(monitor.checkin_margin) },
          { name: 'May take', value: minutes(monitor.max_runtime) },
          {
            name: 'Opens an issue',
            value: `after ${countOf(monitor.failure_issue_threshold, 'failure')} in a row`,
          },
          {
            name: 'Resolves it',
            value: `after ${countOf(monitor.recovery_threshold, 'success', 'successes')} in a row`,
          },
        ]}
      />
      {monitor.environments.map((one) => (
        <div key={one.environment} class="monitor-environment">
          <strong>{one.environment}</strong>
          <StatusBadge state={one} />
          <span class="soft">
            {one.incident === null ? (
              <>
                last OK <Time at={one.last_ok_at} />
              </>
            ) : (
              <>
                since <Time at={one.incident.opened_at} />
              </>
            )}
          </span>
        </div>
      ))}
    </div>
  )
}

function DeleteDialog({ slug, onClose }: { readonly slug: string; readonly onClose: () => void }) {
  const project_id = useProjectId()
  const { route } = useLocation()
  const remove = async () => {
    const deleted = await runChange({
      send: () =>
        request('DELETE /api/v1/projects/{project_id}/monitors/{slug}', {
          params: { project_id, slug },
        }),
      done: `Deleted ${slug}.`,
      refetch: ['GET /api/v1/projects/{project_id}/monitors'],
    })
    if (deleted !== undefined) route(projectPath(project_id, 'monitors'))
  }
  return (
    <ConfirmDialog
      title={`Delete ${slug}`}
      confirm="Delete the monitor"
      danger
      typed={slug}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        Its runs are deleted, its issues stay. This cannot be undone. The next check-in creates the
        monitor again, so stop the job first.
      </p>
    </ConfirmDialog>
  )
}

type Change = ReturnType<typeof changes>

function changes(project_id: string, slug: string) {
  const send = (body: { muted?: boolean; snooze_until?: string | null }) =>
    request('PATCH /api/v1/projects/{project_id}/monitors/{slug}', {
      params: { project_id, slug },
      body,
    })
  const apply = (edit: (monitor: Monitor) => Monitor) =>
    editReply(operation, (params) => params['slug'] === slug, edit)
  const refetch = [operation, 'GET /api/v1/projects/{project_id}/monitors']
  return {
    mute: (muted: boolean) =>
      runChange({
        send: () => send({ muted }),
        apply: () => apply((monitor) => ({ ...monitor, muted })),
        undo: () => send({ muted: !muted }),
        done: muted ? `Muted ${slug}: its runs create no events.` : `Unmuted ${slug}.`,
        refetch,
      }),
    snooze: (until: string | null) =>
      runChange({
        send: () => send({ snooze_until: until }),
        apply: () => apply((monitor) => ({ ...monitor, snoozed_until: until })),
        undo: () => send({ snooze_until: null }),
        done: until === null ? `${slug} is in triage again.` : `Snoozed ${slug}.`,
        refetch,
      }),
  }
}

const hourMs = 3_600_000

function menuOf(monitor: Monitor, change: Change, onDelete: () => void): readonly MenuAction[] {
  const snoozeFor = (hours: number) => () =>
    void change.snooze(new Date(Date.now() + hours * hourMs).toISOString())
  return [
    monitor.muted
      ? { label: 'Unmute', icon: 'bell', run: () => void change.mute(false) }
      : { label: 'Mute', icon: 'pause', run: () => void change.mute(true) },
    ...(isSnoozed(monitor)
      ? [{ label: 'End the snooze', icon: 'clock', run: () => void change.snooze(null) } as const]
      : ([
          { label: 'Snooze in triage for 1 hour', icon: 'clock', run: snoozeFor(1) },
          { label: 'Snooze in triage for 1 day', icon: 'clock', run: snoozeFor(24) },
        ] as const)),
    { label: 'Delete', icon: 'trash', danger: true, run: onDelete },
  ]
}
