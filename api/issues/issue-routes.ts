import { z } from 'zod'
import { EventItem, EventListQuery } from '#schemas/rest/event.ts'
import { IssueChange, IssueDetail, IssueItem, IssueListQuery } from '#schemas/rest/issue.ts'
import { pageOf } from '#schemas/rest/page.ts'
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
import { changeStatus } from '../io/issue-history-store.ts'
import { findIssue } from '../io/issue-store.ts'
import { getIssue, itemOf } from './get-issue.ts'
import { listIssuePage } from './list-issues.ts'

const IssuePath = ProjectPath.extend({ issue_id: z.string() })
const tags = ['issues']

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
      params: IssuePath,
      response: replies(IssueDetail),
    },
    handler: async (request) =>
      found(await getIssue(projectOf(request), requireUuid(request.params.issue_id), ctx)),
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
      response: replies(IssueItem),
    },
    handler: async (request) => {
      const project = projectOf(request)
      const issue = { projectId: project.dsnId, id: requireUuid(request.params.issue_id) }
      const { id, label } = callerOf(request)
      await ctx.pg.transaction((client) =>
        changeStatus(client, {
          projectId: project.dsnId,
          issueId: issue.id,
          status: request.body.status,
          actor: { type: 'token', id, label },
          at: new Date(ctx.clock.nowMs()),
        }),
      )
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
      params: IssuePath,
      querystring: EventListQuery,
      response: replies(pageOf(EventItem)),
    },
    handler: async (request) => {
      const project = projectOf(request)
      const id = requireUuid(request.params.issue_id)
      const issue = found(await findIssue(ctx.pg, { projectId: project.dsnId, id }))
      return listEventPage(project, { ...request.query, issue }, ctx)
    },
  })
}
