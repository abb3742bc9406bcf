import { useMemo } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { TimeChart } from '../../../design/charts/time-chart.tsx'
import { Meter } from '../../../design/content/badge.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import {
  formatCompact,
  formatDay,
  formatExact,
  formatNumber,
  formatShare,
} from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import type { Reply } from '../../../http/request.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { Notice, Numbers, ShareBar } from '../common/numbers.tsx'
import { forecastLines, quotaState } from './forecast.ts'
import { QuotaForm } from './quota-form.tsx'
import './quota.css'

const operation = 'GET /api/v1/projects/{project_id}/quota'
export type Quota = Reply<typeof operation>

const refetchMs = 30_000

/** How much of the month is used, by what, and how it will end. */
export function QuotaPage() {
  const project_id = useProjectId()
  const { get, set } = useSearchParams()
  const read = useRead(
    operation,
    { params: { project_id } },
    { topics: ['events'], refetchEveryMs: refetchMs },
  )
  const edit = () => set({ edit: '1' })
  useShortcuts(canWrite.value ? [{ keys: 'c', label: 'Change the limits', run: edit }] : [])
  return (
    <Page
      title="Quota"
      meta={
        read.data === undefined ? undefined : (
          <span>
            {formatDay(read.data.period_start)} until {formatDay(read.data.period_end)}, UTC
          </span>
        )
      }
      actions={
        canWrite.value && read.data !== undefined ? (
          <Button icon="edit" onClick={edit}>
            Change the limits
          </Button>
        ) : undefined
      }
    >
      <Loaded read={read}>
        {(quota) => (
          <>
            <State quota={quota} />
            <Use quota={quota} />
            <div class="columns-even quota-tables">
              <Keys quota={quota} />
              <Issues quota={quota} />
            </div>
            {get('edit') !== undefined && canWrite.value && (
              <QuotaForm
                key={project_id}
                quota={quota}
                onClose={() => set({ edit: undefined }, 'replace')}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Says what will happen, and where to look, before there is a problem. */
function State({ quota }: { readonly quota: Quota }) {
  const projectId = useProjectId()
  const { used, monthly_events: limit, forecast } = quota
  const state = quotaState(used, limit, forecast.limit_reached_at)
  const dropped = (
    <a href={projectPath(projectId, 'outcomes?reason=over_quota:')}>What was dropped</a>
  )
  if (state === 'used') {
    return (
      <Notice tone="danger">
        The quota is used up. Further events are refused until {formatExact(quota.period_end)} or
        until the limit is raised. {dropped}
      </Notice>
    )
  }
  if (forecast.limit_reached_at === null) return null
  return (
    <Notice>
      {state === 'near' ? 'More than 80 % of the quota are used. ' : ''}
      At this rate it is used up on {formatExact(forecast.limit_reached_at)}, before the period
      ends; further events are refused then.
    </Notice>
  )
}

function Use({ quota }: { readonly quota: Quota }) {
  const { used, monthly_events: limit, forecast } = quota
  return (
    <Panel>
      <div class="stack">
        <p class="quota-used">
          <strong>{formatNumber(used)}</strong>{' '}
          {limit === null ? (
            <span class="soft">events used; there is no monthly limit</span>
          ) : (
            <span class="soft">
              of {formatNumber(limit)} events used
              {limit > 0 && ` (${formatShare(used / limit)})`}
            </span>
          )}
        </p>
        {limit !== null && <Meter label="Used events of the month" value={used} max={limit} />}
        <Numbers
          facts={[
            {
              name: 'Expected at the end',
              value: formatNumber(forecast.events),
              note:
                limit === null || limit === 0
                  ? undefined
                  : `${formatShare(forecast.events / limit)} of the limit`,
            },
            { name: 'At the rate of the month', value: formatNumber(forecast.by_period) },
            {
              name: 'At the rate of 7 days',
              value: forecast.by_last_7_days === null ? '–' : formatNumber(forecast.by_last_7_days),
            },
            {
              name: 'Per minute',
              value: quota.per_minute === null ? 'no limit' : formatNumber(quota.per_minute),
              note: 'of the project',
            },
            {
              name: 'Per issue and minute',
              value:
                quota.per_issue_per_minute === null
                  ? 'no limit'
                  : formatNumber(quota.per_issue_per_minute),
              note: 'then a sample is stored',
            },
          ]}
        />
        <UseChart quota={quota} />
      </div>
    </Panel>
  )
}

function UseChart({ quota }: { readonly quota: Quota }) {
  const project_id = useProjectId()
  const days = useRead(
    'GET /api/v1/projects/{project_id}/outcomes',
    {
      params: { project_id },
      query: { since: quota.period_start, interval: 'day', group_by: 'outcome,category' },
    },
    { keepPrevious: true },
  )
  const chart = useMemo(() => {
    const counts = (days.data?.items ?? [])
      .filter(({ outcome, category }) => outcome === 'accepted' && charged.has(category ?? ''))
      .map(({ at, quantity }) => ({ at, quantity }))
    return forecastLines({
      periodStart: quota.period_start,
      periodEnd: quota.period_end,
      nowMs: Date.now(),
      used: quota.used,
      limit: quota.monthly_events,
      days: mergeDays(counts),
      byPeriod: quota.forecast.by_period,
      byLast7Days: quota.forecast.by_last_7_days,
    })
  }, [days.data, quota])
  return (
    <TimeChart
      key={chart.lines.length}
      label="Events used and expected by day"
      times={chart.times}
      series={chart.lines}
      height={220}
      format={formatCompact}
    />
  )
}

/** Only events are charged. */
const charged: ReadonlySet<string> = new Set(['error', 'default', 'security'])

function mergeDays(counts: readonly { readonly at: string; readonly quantity: number }[]) {
  const sums = new Map<string, number>()
  for (const { at, quantity } of counts) sums.set(at, (sums.get(at) ?? 0) + quantity)
  return [...sums].map(([at, quantity]) => ({ at, quantity }))
}

function Keys({ quota }: { readonly quota: Quota }) {
  const total = Math.max(
    1,
    quota.by_key.reduce((sum, { used }) => sum + used, 0),
  )
  return (
    <Panel title="By DSN key" flush>
      <DataTable
        label="Use by DSN key"
        items={quota.by_key}
        keyOf={({ key }) => key}
        columns={[
          {
            head: 'Key',
            cell: ({ key, label }) => (
              <span title={key}>
                {label ?? 'Default'} <code class="soft">{key.slice(0, 8)}…</code>
              </span>
            ),
          },
          { head: 'Events', numeric: true, cell: ({ used }) => formatNumber(used) },
          {
            head: 'Share',
            secondary: true,
            cell: ({ used }) => <ShareBar share={used / total} tone="plain" />,
          },
          {
            head: 'Per minute',
            numeric: true,
            cell: ({ per_minute: limit }) => (limit === null ? '–' : formatNumber(limit)),
          },
        ]}
      />
    </Panel>
  )
}

function Issues({ quota }: { readonly quota: Quota }) {
  const projectId = useProjectId()
  return (
    <Panel title="Issues that use the most quota" flush>
      {quota.by_issue.length === 0 ? (
        <EmptyState icon="bug" title="No events in this month" />
      ) : (
        <DataTable
          label="Use by issue"
          items={quota.by_issue}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Issue',
              cell: ({ id, short_id: shortId, title }) => (
                <a class="quota-issue" href={projectPath(projectId, `issues/${id}`)}>
                  <span class="soft">{shortId}</span> {title}
                </a>
              ),
            },
            { head: 'Events', numeric: true, cell: ({ used }) => formatNumber(used) },
          ]}
        />
      )}
    </Panel>
  )
}
