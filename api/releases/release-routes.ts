import { z } from 'zod'
import { pageOf } from '#schemas/rest/page.ts'
import { ReleaseItem, ReleaseListQuery } from '#schemas/rest/release.ts'
import type { ApiContext } from '../context.ts'
import { CursorTime, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, found, ProjectPath, projectOf, replies } from '../http/route.ts'
import { findRelease, listReleases, type StoredRelease } from '../io/release-store.ts'

const tags = ['releases']
const Position = z.tuple([CursorTime, z.string()])

export function registerReleases(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/releases',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'Releases, the one heard of last first',
      params: ProjectPath,
      querystring: ReleaseListQuery,
      response: replies(pageOf(ReleaseItem)),
    },
    handler: async (request) => {
      const { cursor, limit } = request.query
      const rows = await listReleases(ctx.pg, {
        projectId: projectOf(request).dsnId,
        after: decodeCursor(cursor, Position),
        limit: limit + 1,
      })
      const page = pageOfRows(rows, limit, (row) => [row.position, row.version])
      return { items: page.items.map(releaseItem), next_cursor: page.next_cursor }
    },
  })

  app.route({
    method: 'GET',
    url: '/releases/:release',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'One release',
      params: ProjectPath.extend({ release: z.string().describe('The version, URL-encoded.') }),
      response: replies(ReleaseItem),
    },
    handler: async (request) => {
      const projectId = projectOf(request).dsnId
      const version = request.params.release
      // Postgres takes no NUL in a text, so no release has one.
      if (version.includes('\0')) return found(undefined)
      return releaseItem(found(await findRelease(ctx.pg, { projectId, version })))
    },
  })
}

function releaseItem(release: StoredRelease): ReleaseItem {
  return {
    version: release.version,
    first_event: release.first_event_at.toISOString(),
    last_event: release.last_event_at.toISOString(),
    event_count: release.event_count,
    new_issues: release.new_issue_count,
  }
}
