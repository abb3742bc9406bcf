import { setTimeout as sleep } from 'node:timers/promises'
import { CodedError } from '#schemas/error-codes.ts'
import { overviewCountMax, type ProjectOverview } from '#schemas/rest/overview.ts'
import type { ApiContext } from '../context.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { forecastUse, recentDays } from '../quota/forecast-use.ts'
import { readQuota } from '../quota/quota-store.ts'
import { monthOf } from '../quota/report-quota.ts'
import { readNewestRelease } from '../releases/newest-release.ts'
import { readFailingMonitors } from '../triage/failing-monitors.ts'
import { readOverview, sumEventsByHour } from './overview-store.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const seriesHours = 24
/** The frame of every page waits for the overview, and can do without the series. */
const clickHouseMsMax = 2_000

type OverviewContext = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>

/** Everything that the dashboard shows of a project on every page. */
export async function reportOverview(
  project: StoredProject,
  ctx: OverviewContext,
): Promise<ProjectOverview> {
  const nowMs = ctx.clock.nowMs()
  const now = new Date(nowMs)
  const { startMs, endMs } = monthOf(nowMs)
  const { id, dsnId } = project
  const [byHour, monitors, quota, release] = await Promise.all([
    eventsByHour(project, nowMs, ctx),
    readFailingMonitors(ctx.pg, { projectId: dsnId, now }),
    readQuota(ctx.pg, dsnId, new Date(startMs).toISOString().slice(0, 10)),
    readNewestRelease(ctx.pg, dsnId),
  ])
  const withoutIssues = monitors.issueIds
  const stored = await readOverview(ctx.pg, { id, dsnId, now, withoutIssues })
  if (stored === undefined || quota === undefined) throw new CodedError('not_found')
  const { used, monthly_events } = quota
  const recentEvents = byHour && sum([...byHour.values()])
  const forecast = forecastUse({ used, limit: monthly_events, startMs, endMs, nowMs, recentEvents })
  const { first_event_at: first, latest_event_at: latest } = stored
  return {
    project: { id, name: stored.name, dsn_id: String(dsnId), project_key: stored.project_key },
    counts: {
      unresolved_issues: stored.unresolved_issues,
      triage: Math.min(overviewCountMax, stored.triage_issues + monitors.entries.length),
      failed_monitors: stored.failed_monitors,
      ideas_to_moderate: stored.ideas_to_moderate,
      new_feedback: stored.new_feedback,
      alerts_failing: stored.alerts_failing,
    },
    has_events: first !== null,
    first_event_at: first?.toISOString() ?? null,
    latest_event_at: latest?.toISOString() ?? null,
    series_24h: byHour === undefined ? null : seriesOf(byHour, nowMs),
    latest_release: release
      ? { version: release.version, first_seen: release.firstSeen.toISOString() }
      : null,
    quota: {
      used,
      monthly_events,
      period_end: new Date(endMs).toISOString(),
      forecast_events: forecast.events,
    },
  }
}

/** Of the last seven days; undefined when ClickHouse does not respond in time. */
async function eventsByHour(
  { dsnId: projectId }: StoredProject,
  nowMs: number,
  { clickhouse }: OverviewContext,
): Promise<ReadonlyMap<number, number> | undefined> {
  const cancel = new AbortController()
  const { signal } = cancel
  try {
    return await Promise.race([
      sumEventsByHour(clickhouse, { projectId, sinceMs: nowMs - recentDays * dayMs }),
      sleep(clickHouseMsMax, undefined, { signal }),
    ])
  } catch (error) {
    if (error instanceof CodedError && error.code === 'unavailable') return undefined
    throw error
  } finally {
    cancel.abort()
  }
}

function seriesOf(byHour: ReadonlyMap<number, number>, nowMs: number): number[] {
  const lastHour = Math.floor(nowMs / hourMs)
  return Array.from({ length: seriesHours }, (_, index) => {
    const hour = lastHour - (seriesHours - 1) + index
    return byHour.get((hour * hourMs) / 1000) ?? 0
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
