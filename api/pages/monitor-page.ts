/** The page of a monitor, which notifications about missed and failed runs link to. */
import type { MonitorItem, MonitorRunItem } from '#schemas/rest/monitor.ts'
import { monitorSlug } from '#schemas/wire/monitor-slug.ts'
import { found } from '../http/route.ts'
import { findMonitor, listRuns } from '../monitors/monitor-store.ts'
import { monitorItem, runItem } from '../monitors/monitor-view.ts'
import { type Html, html } from '../portal/page/html.ts'
import { factList, shownLine, shownTime } from './shown-text.ts'
import type { PageKind } from './team-page-kind.ts'

const runsShownMax = 20

export const monitorPage: PageKind = {
  url: '/projects/:project_id/monitors/:slug',
  scope: 'issues:read',
  segment: (request) => encodeURIComponent(slugIn(request.params)),
  show: async ({ ctx, project, request }) => {
    const name = { projectId: project.dsnId, slug: slugIn(request.params) }
    const stored = found(await findMonitor(ctx.pg, name))
    const runs = await listRuns(ctx.pg, {
      monitorId: stored.id,
      environment: undefined,
      status: undefined,
      after: undefined,
      limit: runsShownMax,
    })
    const nowMs = ctx.clock.nowMs()
    const main = mainOf(monitorItem(stored), runs.map(runItem), nowMs)
    return { kind: 'page', title: `Monitor ${stored.slug}`, main }
  },
}

function slugIn(params: unknown) {
  return found(monitorSlug((params as { slug: string }).slug))
}

const statusWords = { waiting: 'No check-in yet', ok: 'All runs succeed', failing: 'Failing' }

function mainOf(monitor: MonitorItem, runs: readonly MonitorRunItem[], nowMs: number): Html {
  const { status, schedule, last_problem: problem } = monitor
  const tone = status === 'failing' ? 'bad' : status === 'ok' ? 'good' : 'plain'
  return html`<div class="head"><p class="soft">Monitor</p><h1>${shownLine(monitor.slug)}</h1>
<p class="state ${tone}">${statusWords[status]}${monitor.muted ? ', muted' : ''}</p></div>
<div class="stack"><section class="card"><h2>Schedule</h2>${factList([
    { name: 'Schedule', value: schedule === null ? 'unknown' : scheduleWords(schedule) },
    { name: 'Time zone', value: monitor.timezone },
    { name: 'Next run', value: shownTimeOrNothing(monitor.next_expected_at, nowMs) },
    { name: 'May be late', value: `${monitor.checkin_margin} min` },
    { name: 'May take', value: `${monitor.max_runtime} min` },
    { name: 'Last problem', value: problem && `${problem.reason} ${problem.detail}` },
  ])}</section>
${monitor.environments.map(
  ({ environment, status: state, incident, last_ok_at, last_check_in_at }) =>
    html`<section class="card"><h2>${shownLine(environment)}: ${statusWords[state]}</h2>${factList([
      { name: 'Incident', value: incident && incidentWords(incident, nowMs) },
      { name: 'Last success', value: shownTime(last_ok_at, nowMs) },
      { name: 'Last check-in', value: shownTime(last_check_in_at, nowMs) },
    ])}</section>`,
)}
<section class="card"><h2>Runs</h2>${runs.length === 0 ? html`<p class="soft">None yet.</p>` : html`<ul class="events">${runs.map((run) => runLine(run, nowMs))}</ul>`}</section></div>`
}

function scheduleWords(schedule: NonNullable<MonitorItem['schedule']>): string {
  if (schedule.type === 'crontab') return schedule.value
  const { value, unit } = schedule
  return `every ${value} ${unit}${value === 1 ? '' : 's'}`
}

const incidentKinds = {
  missed: 'a run was missed',
  overrunning: 'a run takes too long',
  error: 'a run failed',
}

function incidentWords(
  { kind, opened_at }: NonNullable<MonitorItem['environments'][number]['incident']>,
  nowMs: number,
): Html {
  return html`${incidentKinds[kind]}, since ${shownTime(opened_at, nowMs)}`
}

function shownTimeOrNothing(at: string | null, nowMs: number): Html | null {
  return at === null ? null : shownTime(at, nowMs)
}

function runLine(run: MonitorRunItem, nowMs: number): Html {
  const state = run.status === 'closed' ? (run.result ?? 'closed') : run.status
  const took = run.duration_ms === null ? '' : `, ${run.duration_ms} ms`
  const at = run.started_at ?? run.expected_at ?? run.closed_at
  return html`<li><strong>${state}</strong>${took} in ${shownLine(run.environment)} <div class="soft">${shownTime(at, nowMs)}</div></li>`
}
