import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  MonitorChange,
  MonitorItem,
  MonitorListQuery,
  MonitorRunItem,
  RunListQuery,
} from '#schemas/rest/monitor.ts'
import { pageOf } from '#schemas/rest/page.ts'
import { monitorSlug } from '#schemas/wire/monitor-slug.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, found, ProjectPath, projectOf, replies } from '../http/route.ts'
import { deleteMonitor } from './delete-monitor.ts'
import { listMonitorPage } from './list-monitors.ts'
import { findMonitor, listRuns } from './monitor-store.ts'
import { monitorItem, runItem } from './monitor-view.ts'
import { updateMonitor } from './update-monitor.ts'

const tags = ['monitors']
const MonitorPath = ProjectPath.extend({
  slug: z.string().describe('The slug that check-ins are sent with.'),
})
const RunPosition = z.tuple([CursorTime, CursorUuid])
const { 200: _, ...errorReplies } = replies(MonitorItem)

export function registerMonitors(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/monitors',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listMonitors',
      tags,
      summary: 'List monitors',
      description: 'The monitors of recurring jobs, ordered by slug.',
      params: ProjectPath,
      querystring: MonitorListQuery,
      response: replies(pageOf(MonitorItem)),
    },
    handler: (request) => listMonitorPage(projectOf(request), request.query, ctx),
  })

  app.route({
    method: 'GET',
    url: '/monitors/:slug',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getMonitor',
      tags,
      summary: 'Get a monitor',
      params: MonitorPath,
      response: replies(MonitorItem),
    },
    handler: async (request) => monitorItem(found(await findMonitor(ctx.pg, nameIn(request)))),
  })

  app.route({
    method: 'PATCH',
    url: '/monitors/:slug',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'updateMonitor',
      tags,
      summary: 'Update a monitor, mute or snooze it',
      description:
        'A field that is left out keeps its value. A `monitor_config` in a later check-in replaces everything except `muted` and `snooze_until`.',
      params: MonitorPath,
      body: MonitorChange,
      response: replies(MonitorItem),
    },
    handler: async (request) => {
      const project = projectOf(request)
      const input = { project, slug: nameIn(request).slug, change: request.body }
      return monitorItem(await updateMonitor(ctx, actorOf(request), input))
    },
  })

  app.route({
    method: 'DELETE',
    url: '/monitors/:slug',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'deleteMonitor',
      tags,
      summary: 'Delete a monitor and its runs',
      description:
        'Its issue and events stay. A later check-in with the same slug creates a new monitor.',
      params: MonitorPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { slug } = nameIn(request)
      await deleteMonitor(ctx, actorOf(request), { project: projectOf(request), slug })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'GET',
    url: '/monitors/:slug/runs',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listMonitorRuns',
      tags,
      summary: 'List the runs of a monitor',
      description: 'Newest first.',
      params: MonitorPath,
      querystring: RunListQuery,
      response: replies(pageOf(MonitorRunItem)),
    },
    handler: async (request) => {
      const { cursor, limit, environment, status } = request.query
      const after = decodeCursor(cursor, RunPosition)
      const monitor = found(await findMonitor(ctx.pg, nameIn(request)))
      const filter = { monitorId: monitor.id, environment, status }
      const rows = await listRuns(ctx.pg, { ...filter, after, limit: limit + 1 })
      const page = pageOfRows(rows, limit, ({ position, id }) => [position, id])
      return { items: page.items.map(runItem), next_cursor: page.next_cursor }
    },
  })
}

/** The slug may be written in any form that a check-in may use. */
function nameIn(request: FastifyRequest) {
  const { slug } = request.params as { slug: string }
  return { projectId: projectOf(request).dsnId, slug: found(monitorSlug(slug)) }
}
