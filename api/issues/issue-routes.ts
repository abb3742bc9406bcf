import { z } from 'zod'
import { EventItem, EventListQuery } from '#schemas/rest/event.ts'
import { IssueChange, IssueDetail, IssueItem, IssueListQuery } from '#schemas/rest/issue.ts'
import { pageOf } from '#schemas/rest/page.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { listEventPage } from '../events/list-events.ts'
import {
  type ApiInstance,
  callerOf,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { getIssue, itemOf } from './get-issue.ts'
import { registerIssueChanges } from './issue-change-routes.ts'
import { changeStatus } from './issue-history-store.ts'
import { findIssue } from './issue-store.ts'
import { listIssuePage } from './list-issues.ts'
import { missingIssue, sendAfterIssue } from './merged-issue.ts'

const IssuePath = ProjectPath.extend({ issue_id: z.string() })
const tags = ['issues']
const ofMerged =
  'The id of an issue that was merged leads to the issue that has its events now (307).'

export function registerIssues(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/issues',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'List issues',
      description:
        'Filters narrow each other. `sort=users` ranks the 1,000 kinds of event with the most users.',
      params: ProjectPath,
      querystring: IssueListQuery,
      response: replies(pageOf(IssueItem)),
    },
    handler: (request) => listIssuePage(projectOf(request), request.query, ctx),
  })

  app.route({
    method: 'GET',
    url: '/issues/:issue_id',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'One issue, with why it was grouped',
      description: ofMerged,
      params: IssuePath,
      response: { ...replies(IssueDetail), 307: Problem },
    },
    handler: async (request, reply) => {
      const project = projectOf(request)
      const id = requireUuid(request.params.issue_id)
      const issue = await getIssue(project, id, ctx)
      return issue ?? sendAfterIssue(request, reply, ctx, { projectId: project.dsnId, id })
    },
  })

  app.route({
    method: 'PATCH',
    url: '/issues/:issue_id',
    config: { scope: 'issues:write' },
    schema: {
      tags,
      summary: 'Resolve, ignore or reopen an issue',
      description: 'The status it has already changes nothing, so a repeated request is harmless.',
      params: IssuePath,
      body: IssueChange,
      response: { ...replies(IssueItem), 409: Problem },
    },
    handler: async (request) => {
      const project = projectOf(request)
      const issue = { projectId: project.dsnId, id: requireUuid(request.params.issue_id) }
      const { type, id, label } = callerOf(request)
      const { matched } = await ctx.pg.transaction((client) =>
        changeStatus(client, {
          projectId: project.dsnId,
          issueIds: [issue.id],
          status: request.body.status,
          actor: { type, id, label },
          at: new Date(ctx.clock.nowMs()),
        }),
      )
      if (matched.length === 0) throw await missingIssue(ctx, issue)
      return itemOf(project, found(await findIssue(ctx.pg, issue)), ctx)
    },
  })

  app.route({
    method: 'GET',
    url: '/issues/:issue_id/events',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: "An issue's events, newest first",
      description: ofMerged,
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

  registerIssueChanges(app, ctx)
}
