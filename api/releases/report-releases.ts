/**
 * Releases with their health: one query for the sessions of the requested time range, and one for
 * those of the last day.
 */
import {
  commitDetailsMax,
  deploysShownMax,
  type ReleaseDetail,
  type ReleaseItem,
  type ReleaseQuery,
} from '#schemas/rest/release.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { listCommits } from './commits/commit-store.ts'
import { commitItem } from './commits/commit-view.ts'
import { listStoredDeploys } from './deploys/deploy-store.ts'
import { deployItem } from './deploys/deploy-view.ts'
import { healthOf, pointOf } from './release-health.ts'
import { readSessions } from './release-health-store.ts'
import type { StoredRelease, StoredReleaseDetail } from './release-store.ts'
import type { SessionLookup } from './session-sums.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Sessions are kept this long. */
const keptMs = 90 * dayMs
const series = {
  hour: { stepMs: hourMs, defaultMs: dayMs, spanMsMax: 31 * dayMs },
  day: { stepMs: dayMs, defaultMs: 30 * dayMs, spanMsMax: keptMs },
} as const

type Period = Pick<ReleaseQuery, 'environment' | 'since' | 'until'>

export async function describeReleases(
  project: StoredProject,
  releases: readonly StoredRelease[],
  query: Period,
  ctx: ApiContext,
): Promise<ReleaseItem[]> {
  if (releases.length === 0) return []
  const nowMs = ctx.clock.nowMs()
  const { sinceMs, untilMs } = periodOf(query, nowMs, keptMs)
  const common = {
    projectId: project.dsnId,
    environment: query.environment,
    stepSeconds: undefined,
  }
  const versions = releases.map(({ version }) => version)
  const lastDay = { sinceMs: nowMs - dayMs, untilMs: nowMs, isRecent: true }
  const [ofRelease, ofReleaseToday, ofProjectToday] = await Promise.all([
    readSessions(ctx, { ...common, versions, sinceMs, untilMs }),
    readSessions(ctx, { ...common, versions, countsOnly: true, ...lastDay }),
    readSessions(ctx, { ...common, versions: undefined, countsOnly: true, ...lastDay }),
  ])
  return releases.map((release) => ({
    ...itemOf(release),
    health: healthOf(ofRelease(release.version), {
      ofRelease: ofReleaseToday(release.version),
      ofProject: ofProjectToday(''),
    }),
  }))
}

export async function describeRelease(
  project: StoredProject,
  release: StoredReleaseDetail,
  query: ReleaseQuery,
  ctx: ApiContext,
): Promise<ReleaseDetail> {
  const { stepMs, defaultMs, spanMsMax } = series[query.interval]
  const period = periodOf(query, ctx.clock.nowMs(), defaultMs)
  if (spanMsMax < period.untilMs - period.sinceMs) {
    const rule = `must be at most ${spanMsMax / dayMs} days before until with interval=${query.interval}`
    throw invalidField('since', rule)
  }
  const sinceMs = Math.floor(period.sinceMs / stepMs) * stepMs
  const lookup: SessionLookup = {
    projectId: project.dsnId,
    environment: query.environment,
    versions: [release.version],
    sinceMs,
    untilMs: period.untilMs,
    stepSeconds: stepMs / 1000,
  }
  const key = { projectId: project.dsnId, version: release.version }
  const [items, sessionsAt, ofProjectAt, commits, deploys] = await Promise.all([
    describeReleases(project, [release], query, ctx),
    readSessions(ctx, lookup),
    readSessions(ctx, { ...lookup, versions: undefined, countsOnly: true }),
    listCommits(ctx.pg, { ...key, limit: commitDetailsMax }),
    listStoredDeploys(ctx.pg, { ...key, limit: deploysShownMax }),
  ])
  const points = Array.from(
    { length: Math.ceil((period.untilMs - sinceMs) / stepMs) },
    (_, index) => sinceMs + index * stepMs,
  ).map((atMs) => {
    const second = atMs / 1000
    return pointOf(sessionsAt(release.version, second), ofProjectAt('', second), atMs)
  })
  return {
    ...items[0]!,
    commits: release.commits,
    commit_details: commits.map(commitItem),
    deploys: deploys.map(deployItem),
    series: points,
  }
}

/** Throws if it is empty. */
export function periodOf({ since, until }: Period, nowMs: number, defaultMs: number) {
  const untilMs = until === undefined ? nowMs : Date.parse(until)
  const sinceMs = since === undefined ? untilMs - defaultMs : Date.parse(since)
  if (untilMs <= sinceMs) throw invalidField('since', 'must be before until')
  // A session belongs to the hour in which it started.
  return { sinceMs: Math.floor(sinceMs / hourMs) * hourMs, untilMs }
}

function itemOf(release: StoredRelease): Omit<ReleaseItem, 'health'> {
  // Without events these are the times when it was named with its commits.
  const hasEvents = release.event_count > 0
  return {
    version: release.version,
    first_event: hasEvents ? (release.first_event_at?.toISOString() ?? null) : null,
    last_event: hasEvents ? (release.last_event_at?.toISOString() ?? null) : null,
    first_session: release.first_session_at?.toISOString() ?? null,
    last_session: release.last_session_at?.toISOString() ?? null,
    event_count: release.event_count,
    new_issues: release.new_issue_count,
    url: release.url,
    date_released: release.released_at?.toISOString() ?? null,
    commit_count: release.commit_count,
    last_deploy:
      release.last_environment === null || release.last_finished_at === null
        ? null
        : {
            environment: release.last_environment,
            finished_at: release.last_finished_at.toISOString(),
          },
  }
}
