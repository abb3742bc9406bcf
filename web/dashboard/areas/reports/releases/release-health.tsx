import { useMemo } from 'preact/hooks'
import { TimeChart } from '../../../design/charts/time-chart.tsx'
import { formatDuration, formatNumber, formatShare } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState } from '../../../design/content/states.tsx'
import type { Reply } from '../../../http/request.ts'
import { Numbers } from '../common/numbers.tsx'

type Release = Reply<'GET /api/v1/projects/{project_id}/releases/{release}'>

const percent = (value: number) => `${value.toLocaleString('en', { maximumFractionDigits: 2 })} %`

export function ReleaseHealth({
  release,
  interval,
}: {
  readonly release: Release
  readonly interval: 'hour' | 'day'
}) {
  const { health } = release
  const charts = useMemo(() => chartsOf(release.series), [release.series])
  const per = interval === 'hour' ? 'by hour' : 'by day'
  return (
    <>
      <Panel>
        <Numbers
          facts={[
            { name: 'Crash-free sessions', value: rateOf(health.crash_free_sessions) },
            { name: 'Crash-free users', value: rateOf(health.crash_free_users) },
            {
              name: 'Adoption',
              value: health.adoption === null ? '–' : formatShare(health.adoption),
              note: 'of the sessions of 24 h',
            },
            { name: 'Sessions', value: formatNumber(health.sessions) },
            { name: 'Users', value: formatNumber(health.users) },
            { name: 'Events', value: formatNumber(release.event_count) },
            ...(health.duration_seconds === null
              ? []
              : [
                  {
                    name: 'Session length',
                    value: formatDuration(health.duration_seconds.p50 * 1_000),
                    note: `p95 ${formatDuration(health.duration_seconds.p95 * 1_000)}`,
                  },
                ]),
          ]}
        />
      </Panel>
      {health.sessions === 0 ? (
        <Panel title="Sessions">
          <EmptyState icon="pulse" title="No sessions of this release in this time">
            <p>
              SDKs report sessions automatically. Choose a longer time, or check that{' '}
              <code>autoSessionTracking</code> is not switched off.
            </p>
          </EmptyState>
        </Panel>
      ) : (
        <div class="columns-even">
          <Panel title={`Crash-free rate ${per}`}>
            <TimeChart
              label={`Crash-free rate ${per}`}
              times={charts.times}
              series={charts.rates}
              format={percent}
              range={charts.rateRange}
            />
          </Panel>
          {charts.adoption !== undefined && (
            <Panel title={`Adoption ${per}`}>
              <TimeChart
                label={`Share of the sessions of the project ${per}`}
                times={charts.times}
                series={charts.adoption}
                format={percent}
                range={[0, 100]}
              />
            </Panel>
          )}
          <Panel title={`Sessions ${per}`}>
            <TimeChart
              label={`Sessions ${per}`}
              kind="stacked"
              times={charts.times}
              series={charts.sessions}
            />
          </Panel>
        </div>
      )}
    </>
  )
}

function rateOf(rate: number | null): string {
  return rate === null ? '–' : formatShare(rate, 2)
}

function chartsOf(series: Release['series']) {
  const toPercent = (rate: number | null) => (rate === null ? null : rate * 100)
  const sessionRates = series.map((point) => toPercent(point.crash_free_sessions))
  const userRates = series.map((point) => toPercent(point.crash_free_users))
  const known = [...sessionRates, ...userRates].filter((rate) => rate !== null)
  const lowest = Math.min(99, ...known)
  // A release server of an older version does not send the sessions of the project.
  const hasTotals = series.every(({ project_sessions }) => project_sessions !== undefined)
  return {
    times: series.map(({ at }) => at),
    rates: [
      { name: 'Sessions', values: sessionRates },
      { name: 'Users', values: userRates, color: 2 },
    ],
    // Room below the lowest value, so that a drop is seen and not cut off.
    rateRange: [Math.max(0, Math.floor(lowest - (100 - lowest) * 0.15)), 100] as const,
    adoption: hasTotals
      ? [
          {
            name: 'Share of sessions',
            values: series.map(({ sessions, project_sessions: all }) =>
              all === 0 ? null : (sessions / all) * 100,
            ),
          },
        ]
      : undefined,
    sessions: [
      { name: 'Healthy', values: series.map(({ healthy }) => healthy), color: 1 },
      { name: 'With errors', values: series.map(({ errored }) => errored), color: 3 },
      {
        name: 'Unhandled or abnormal',
        values: series.map(({ unhandled, abnormal }) => unhandled + abnormal),
        color: 5,
      },
      { name: 'Crashed', values: series.map(({ crashed }) => crashed), color: 4 },
    ],
  }
}
