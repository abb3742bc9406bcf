import { z } from 'zod'
import type { MonitorItem } from '#schemas/rest/monitor.ts'
import { type ReleaseItem, ReleaseListQuery } from '#schemas/rest/release.ts'
import { listMonitorPage } from '../../monitors/list-monitors.ts'
import { getRelease } from '../../releases/get-release.ts'
import { listReleasePage } from '../../releases/list-releases.ts'
import { shown } from '../shown.ts'
import { defineTool, readOnly } from '../tool.ts'
import { ProjectId, pageInput, requireProject } from '../tool-input.ts'

const { limit: _limit, cursor: _cursor, ...period } = ReleaseListQuery.shape
const environmentsMax = 10

export const healthTools = [
  defineTool({
    name: 'release_health',
    title: 'Show the health of releases',
    description:
      'Sessions, users, crash-free rates, adoption and new issues of the releases of a project, most recently seen first; or of one release.',
    scopes: ['issues:read'],
    annotations: readOnly,
    input: z.strictObject({
      project_id: ProjectId,
      release: z.string().min(1).max(250).optional().describe('A version, such as shop@1.4.1.'),
      ...period,
      ...pageInput,
    }),
    run: async (call, { project_id, release, limit, cursor, ...query }) => {
      const project = await requireProject(call, project_id)
      if (release === undefined) {
        const page = await listReleasePage(project, { ...query, limit, cursor }, call.ctx)
        return { data: { items: page.items.map(releaseRow), next_cursor: page.next_cursor } }
      }
      const input = { version: release, query: { ...query, interval: 'day' } } as const
      const detail = await getRelease(project, input, call.ctx)
      const { series: _series, commit_details: _details, deploys: _deploys, ...item } = detail
      return { data: { items: [releaseRow(item)], next_cursor: null } }
    },
  }),

  defineTool({
    name: 'list_monitors',
    title: 'List monitors',
    description: 'The monitors of the recurring jobs of a project, by slug, with their state.',
    scopes: ['issues:read'],
    annotations: readOnly,
    input: z.strictObject({ project_id: ProjectId, ...pageInput }),
    run: async (call, { project_id, ...query }) => {
      const project = await requireProject(call, project_id)
      const page = await listMonitorPage(project, query, call.ctx)
      return { data: { items: page.items.map(monitorRow), next_cursor: page.next_cursor } }
    },
  }),
]

function releaseRow({ version, url: _url, last_deploy: deploy, ...release }: ReleaseItem) {
  return {
    version: shown(version, 250),
    ...release,
    last_deploy: deploy && { ...deploy, environment: shown(deploy.environment) },
  }
}

function monitorRow(monitor: MonitorItem) {
  const { status, muted, next_expected_at, last_run, last_problem } = monitor
  return {
    slug: shown(monitor.slug),
    schedule: monitor.schedule === null ? null : shown(scheduleText(monitor.schedule)),
    timezone: shown(monitor.timezone),
    status,
    muted,
    next_expected_at,
    last_run: last_run && {
      status: last_run.status,
      result: last_run.result,
      expected_at: last_run.expected_at,
      started_at: last_run.started_at,
      duration_ms: last_run.duration_ms,
      event_id: last_run.event_id,
    },
    environments: monitor.environments.slice(0, environmentsMax).map((environment) => ({
      environment: shown(environment.environment),
      status: environment.status,
      last_ok_at: environment.last_ok_at,
      incident: environment.incident,
    })),
    last_problem: last_problem && {
      at: last_problem.at,
      reason: shown(last_problem.reason),
      detail: shown(last_problem.detail),
    },
  }
}

function scheduleText(schedule: NonNullable<MonitorItem['schedule']>): string {
  return schedule.type === 'crontab'
    ? schedule.value
    : `every ${schedule.value} ${schedule.unit}${schedule.value === 1 ? '' : 's'}`
}
