/** Routes about one issue beside its events: similar issues, users, hashes, and single events. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { EventDetail } from '#schemas/rest/event.ts'
import {
  IssueEventPlace,
  IssueHashList,
  IssueUserList,
  IssueUserQuery,
  SimilarIssueList,
} from '#schemas/rest/issue-insights.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../../context.ts'
import {
  type ApiInstance,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../../http/route.ts'
import { findIssue, type StoredIssue } from '../issue-store.ts'
import { sendAfterIssue } from '../merged-issue.ts'
import { getIssueEvent } from './get-issue-event.ts'
import { listIssueHashes } from './list-issue-hashes.ts'
import { listIssueUsers } from './list-issue-users.ts'
import { listSimilarIssues } from './list-similar-issues.ts'

const IssuePath = ProjectPath.extend({ issue_id: z.string() })
const EventPath = IssuePath.extend({
  place: z.string().describe('`latest`, `oldest` or `recommended`.'),
})
const tags = ['issues']
const ofMerged = 'The id of a merged issue redirects (307) to the issue that has its events now.'

export function registerIssueInsights(app: ApiInstance, ctx: ApiContext): void {
  /** Replies with what `view` makes of the issue. */
  const ofIssue = async <Reply>(
    request: FastifyRequest,
    reply: FastifyReply,
    view: (issue: StoredIssue) => Promise<Reply>,
  ): Promise<Reply> => {
    const { issue_id } = request.params as { issue_id: string }
    const named = { projectId: projectOf(request).dsnId, id: requireUuid(issue_id) }
    const issue = await findIssue(ctx.pg, named)
    return issue === undefined ? sendAfterIssue(request, reply, ctx, named) : view(issue)
  }

  app.route({
    method: 'GET',
    url: '/issues/:issue_id/similar',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listSimilarIssues',
      tags,
      summary: 'List similar issues',
      description: `Of the same exception type and culprit, or with a near title, among the 3,000 issues of the project that were seen last. ${ofMerged}`,
      params: IssuePath,
      response: { ...replies(SimilarIssueList), 307: Problem },
    },
    handler: (request, reply) =>
      ofIssue(request, reply, async (issue) => ({
        items: await listSimilarIssues(ctx, projectOf(request), issue),
        next_cursor: null,
      })),
  })

  app.route({
    method: 'GET',
    url: '/issues/:issue_id/users',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listIssueUsers',
      tags,
      summary: 'List the users of an issue',
      description: `Those with the most events first. ${ofMerged}`,
      params: IssuePath,
      querystring: IssueUserQuery,
      response: { ...replies(IssueUserList), 307: Problem },
    },
    handler: (request, reply) =>
      ofIssue(request, reply, ({ hashes }) => {
        const { limit } = request.query
        const projectId = projectOf(request).dsnId
        return listIssueUsers(ctx.clickhouse, { projectId, hashes, limit })
      }),
  })

  app.route({
    method: 'GET',
    url: '/issues/:issue_id/hashes',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listIssueHashes',
      tags,
      summary: 'List the grouping hashes of an issue',
      description: `With the title of the latest event of each, to choose which to split off with \`unmerge\`. ${ofMerged}`,
      params: IssuePath,
      response: { ...replies(IssueHashList), 307: Problem },
    },
    handler: (request, reply) =>
      ofIssue(request, reply, async ({ id }) => ({
        items: await listIssueHashes(ctx, id, projectOf(request).shortName),
        next_cursor: null,
      })),
  })

  app.route({
    method: 'GET',
    url: '/issues/:issue_id/events/:place',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getIssueEvent',
      tags: ['events'],
      summary: 'Get the latest, oldest or recommended event of an issue',
      description: `\`recommended\`: of the 10 newest events, the one that has most of a user, a release, an environment and tags. 404 if no event of the issue is stored any more. ${ofMerged}`,
      params: EventPath,
      response: { ...replies(EventDetail), 307: Problem },
    },
    handler: (request, reply) =>
      ofIssue(request, reply, async (issue) => {
        const place = found(IssueEventPlace.safeParse(request.params.place).data)
        return found(await getIssueEvent(ctx, projectOf(request), { issue, place }))
      }),
  })
}
