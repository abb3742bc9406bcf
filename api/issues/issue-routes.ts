import { z } from 'zod'
import { EventItem, EventListQuery } from '#schemas/rest/event.ts'
import { IssueChange, IssueDetail, IssueItem, IssueListQuery } from '#schemas/rest/issue.ts'
import { pageOf } from '#schemas/rest/page.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { listEventPage } from '../events/list-events.ts'
import {
  type ApiInstance,
  ProjectPath,
  personIdOf,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { getIssue } from './get-issue.ts'
import { registerIssueInsights } from './insights/insight-routes.ts'
import { issueActorOf, registerIssueChanges } from './issue-change-routes.ts'
import { findIssue } from './issue-store.ts'
import { listIssuePage } from './listing/list-issues.ts'
import { registerIssueMarks } from './marks/mark-routes.ts'
import { sendAfterIssue } from './merged-issue.ts'
import { updateIssue } from './update-issue.ts'

const IssuePath = ProjectPath.extend({ issue_id: z.string() })
const tags = ['issues']
const ofMerged = 'The id of a merged issue redirects (307) to the issue that has its events now.'

export function registerIssues(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/issues',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listIssues',
      tags,
      summary: 'List issues',
      description:
        'Issues match all given filters. `sort=users` ranks the 1,000 grouping hashes with the most users.',
      params: ProjectPath,
      querystring: IssueListQuery,
      response: replies(pageOf(IssueItem)),
    },
    handler: (request) =>
      listIssuePage(projectOf(request), request.query, ctx, personIdOf(request)),
  })

  app.route({
    method: 'GET',
    url: '/issues/:issue_id',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getIssue',
      tags,
      summary: 'Get an issue',
      description: `With its grouping, daily series, tags and activity. ${ofMerged}`,
      params: IssuePath,
      response: { ...replies(IssueDetail), 307: Problem },
    },
    handler: async (request, reply) => {
      const project = projectOf(request)
      const id = requireUuid(request.params.issue_id)
      const issue = await getIssue(project, id, ctx, personIdOf(request))
      return issue ?? sendAfterIssue(request, reply, ctx, { projectId: project.dsnId, id })
    },
  })

  app.route({
    method: 'PATCH',
    url: '/issues/:issue_id',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'updateIssue',
      tags,
      summary: 'Update an issue',
      description:
        'Resolves, ignores, reopens, assigns, reviews or snoozes it. The request is idempotent.',
      params: IssuePath,
      body: IssueChange,
      response: { ...replies(IssueItem), 409: Problem },
    },
    handler: (request) =>
      updateIssue(ctx, issueActorOf(request), {
        project: projectOf(request),
        issueId: requireUuid(request.params.issue_id),
        change: request.body,
      }),
  })

  app.route({
    method: 'GET',
    url: '/issues/:issue_id/events',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listIssueEvents',
      tags: ['events'],
      summary: 'List the events of an issue',
      description: `Newest first; \`…/events/oldest\` has the other end. ${ofMerged}`,
      params: IssuePath,
      querystring: EventListQuery,
      response: { ...replies(pageOf(EventItem)), 307: Problem },
    },
    handler: async (request, reply) => {
      const project = projectOf(request)
      const named = { projectId: project.dsnId, id: requireUuid(request.params.issue_id) }
      const issue = await findIssue(ctx.pg, named)
      if (issue === undefined) return sendAfterIssue(request, reply, ctx, named)
      return listEventPage(project, { ...request.query, issue }, ctx)
    },
  })

  registerIssueInsights(app, ctx)
  registerIssueChanges(app, ctx)
  registerIssueMarks(app, ctx)
}
