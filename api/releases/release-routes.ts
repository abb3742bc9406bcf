import { z } from 'zod'
import { KiB } from '#schemas/limits.ts'
import { pageOf } from '#schemas/rest/page.ts'
import {
  ReleaseCommits,
  ReleaseCommitsBody,
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
import { setReleaseCommits } from './set-release-commits.ts'

const tags = ['releases']
/** A thousand hashes of 64 digits. */
const commitsBytesMax = 128 * KiB
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

  app.route({
    method: 'PUT',
    url: '/releases/:release/commits',
    bodyLimit: commitsBytesMax,
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'setReleaseCommits',
      tags,
      summary: 'Set the commits of a release',
      description:
        'Issues resolved by one of these commits are fixed in this release and newer ones. The release may have no events yet.',
      params: ProjectPath.extend({ release: z.string().describe('The version, URL-encoded.') }),
      body: ReleaseCommitsBody,
      response: replies(ReleaseCommits),
    },
    handler: (request) =>
      setReleaseCommits(ctx, {
        project: projectOf(request),
        version: request.params.release,
        commits: request.body.commits,
      }),
  })
}
