import { z } from 'zod'
import { pageOf } from '#schemas/rest/page.ts'
import {
  ReleaseDetail,
  ReleaseItem,
  ReleaseListQuery,
  ReleaseQuery,
} from '#schemas/rest/release.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, found, ProjectPath, projectOf, replies } from '../http/route.ts'
import { findRelease, listReleases } from './release-store.ts'
import { describeRelease, describeReleases } from './report-releases.ts'

const tags = ['releases']
const Position = z.tuple([CursorTime, z.string()])

export function registerReleases(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/releases',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listReleases',
      tags,
      summary: 'List releases with their health',
      description: 'Most recently seen first.',
      params: ProjectPath,
      querystring: ReleaseListQuery,
      response: replies(pageOf(ReleaseItem)),
    },
    handler: async (request) => {
      const { cursor, limit } = request.query
      const project = projectOf(request)
      const rows = await listReleases(ctx.pg, {
        projectId: project.dsnId,
        after: decodeCursor(cursor, Position),
        limit: limit + 1,
      })
      const page = pageOfRows(rows, limit, (row) => [row.position, row.version])
      const items = await describeReleases(project, page.items, request.query, ctx)
      return { items, next_cursor: page.next_cursor }
    },
  })

  app.route({
    method: 'GET',
    url: '/releases/:release',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getRelease',
      tags,
      summary: 'Get a release',
      description: 'With the series of its health.',
      params: ProjectPath.extend({ release: z.string().describe('The version, URL-encoded.') }),
      querystring: ReleaseQuery,
      response: replies(ReleaseDetail),
    },
    handler: async (request) => {
      const project = projectOf(request)
      const version = request.params.release
      // Postgres stores no NUL in a text, so no release has one.
      if (version.includes('\0')) return found(undefined)
      const release = await findRelease(ctx.pg, { projectId: project.dsnId, version })
      return describeRelease(project, found(release), request.query, ctx)
    },
  })
}
