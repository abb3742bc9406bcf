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
import { addAudit } from '../audit/audit-store.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, found, ProjectPath, projectOf, replies } from '../http/route.ts'
import { changedRules } from './change-monitor.ts'
import {
  changeMonitor,
  deleteMonitor,
  findMonitor,
  listMonitors,
  listRuns,
} from './monitor-store.ts'
import { monitorItem, runItem } from './monitor-view.ts'

const tags = ['monitors']
const MonitorPath = ProjectPath.extend({ slug: z.string().describe('As check-ins name it.') })
const RunPosition = z.tuple([CursorTime, CursorUuid])
const { 200: _, ...errorReplies } = replies(MonitorItem)

export function registerMonitors(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/monitors',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'Monitors of recurring jobs, by name',
      params: ProjectPath,
      querystring: MonitorListQuery,
      response: replies(pageOf(MonitorItem)),
    },
    handler: async (request) => {
      const { cursor, limit } = request.query
      const rows = await listMonitors(ctx.pg, {
        projectId: projectOf(request).dsnId,
        afterSlug: decodeCursor(cursor, z.tuple([z.string()]))?.[0],
        limit: limit + 1,
      })
      const page = pageOfRows(rows, limit, ({ slug }) => [slug])
      return { items: page.items.map(monitorItem), next_cursor: page.next_cursor }
    },
  })

  app.route({
    method: 'GET',
    url: '/monitors/:slug',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'One monitor',
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
      tags,
      summary: 'Change or mute a monitor',
      description:
        'What is left out stays as it is. A monitor_config in a later check-in replaces everything but muted.',
      params: MonitorPath,
      body: MonitorChange,
      response: replies(MonitorItem),
    },
    handler: async (request) => {
      const changed = await ctx.pg.transaction(async (client) => {
        await addAudit(client, actorOf(request), {
          ...entryOf('changed', request),
          details: { project_id: projectOf(request).id, ...request.body },
        })
        return found(
          await changeMonitor(client, nameIn(request), (monitor) =>
            changedRules(monitor, request.body),
          ),
        )
      })
      return monitorItem(changed)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/monitors/:slug',
    config: { scope: 'issues:write' },
    schema: {
      tags,
      summary: 'Delete a monitor and its runs',
      description: 'Its issue and events stay. A later check-in makes a monitor of this name anew.',
      params: MonitorPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await ctx.pg.transaction(async (client) => {
        found((await deleteMonitor(client, nameIn(request))) || undefined)
        await addAudit(client, actorOf(request), entryOf('deleted', request))
      })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'GET',
    url: '/monitors/:slug/runs',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'Runs of a monitor, newest first',
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

/** Any spelling that a check-in may use. */
function entryOf(verb: 'changed' | 'deleted', request: FastifyRequest) {
  const { slug } = nameIn(request)
  const action = `monitor.${verb}` as const
  const { id } = projectOf(request)
  return { action, subjectType: 'monitor', subjectId: slug, details: { project_id: id } } as const
}

function nameIn(request: FastifyRequest) {
  const { slug } = request.params as { slug: string }
  return { projectId: projectOf(request).dsnId, slug: found(monitorSlug(slug)) }
}
