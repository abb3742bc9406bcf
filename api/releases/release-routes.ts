import { z } from 'zod'
import { pageOf } from '#schemas/rest/page.ts'
import {
  ReleaseCommits,
  ReleaseCommitsBody,
  ReleaseComparison,
  ReleaseComparisonQuery,
  ReleaseDetail,
  ReleaseItem,
  ReleaseListQuery,
  ReleaseQuery,
} from '#schemas/rest/release.ts'
import { commitPartsMax, commitsBytesMax } from '#schemas/rest/releases/commit.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies } from '../http/route.ts'
import { setReleaseCommits } from './commits/set-release-commits.ts'
import { compareReleases } from './comparison/compare-releases.ts'
import { getRelease } from './get-release.ts'
import { listReleasePage } from './list-releases.ts'
import { registerReleaseChanges } from './release-change-routes.ts'

const tags = ['releases']

export function registerReleases(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/releases',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listReleases',
      tags,
      summary: 'List releases with their health',
      description: 'Most recently seen first, or by version.',
      params: ProjectPath,
      querystring: ReleaseListQuery,
      response: replies(pageOf(ReleaseItem)),
    },
    handler: (request) => listReleasePage(projectOf(request), request.query, ctx),
  })

  app.route({
    method: 'GET',
    url: '/releases/:release',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getRelease',
      tags,
      summary: 'Get a release',
      description: 'With the series of its health and its commits.',
      params: ProjectPath.extend({ release: z.string().describe('The version, URL-encoded.') }),
      querystring: ReleaseQuery,
      response: replies(ReleaseDetail),
    },
    handler: (request) =>
      getRelease(
        projectOf(request),
        { version: request.params.release, query: request.query },
        ctx,
      ),
  })

  app.route({
    method: 'GET',
    url: '/releases/:release/compare',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'compareReleases',
      tags,
      summary: 'Compare a release with another one',
      description:
        'Which issues are new, absent and more frequent in `release` than in `base`, and how their health differs.',
      params: ProjectPath.extend({ release: z.string().describe('The version, URL-encoded.') }),
      querystring: ReleaseComparisonQuery,
      response: replies(ReleaseComparison),
    },
    handler: (request) =>
      compareReleases(
        projectOf(request),
        { head: request.params.release, query: request.query },
        ctx,
      ),
  })

  app.route({
    method: 'PUT',
    url: '/releases/:release/commits',
    bodyLimit: commitsBytesMax,
    config: { scope: 'issues:write', bodyPartsMax: commitPartsMax },
    schema: {
      operationId: 'setReleaseCommits',
      tags,
      summary: 'Set the commits of a release',
      description:
        'Hashes, or commits with author, message and changed files, the newest first. Issues resolved by one of them are fixed in this release and newer ones; issues first seen in the release name those that changed a file of their stack. The release may have no events yet.',
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

  registerReleaseChanges(app, ctx)
}
