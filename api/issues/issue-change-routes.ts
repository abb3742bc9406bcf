/** Routes that change which issues there are, or many of them at once. */

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { IssueItem } from '#schemas/rest/issue.ts'
import {
  BulkChange,
  BulkReply,
  IssueDeletion,
  IssueMerge,
  IssueSplit,
  IssueUnmerge,
} from '#schemas/rest/issue-merge.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  callerOf,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { changeInBulk } from './change-in-bulk.ts'
import { deleteIssue } from './delete-issue.ts'
import { itemOf } from './get-issue.ts'
import { findIssue } from './issue-store.ts'
import { type Doing, mergeIssue, unmergeIssue } from './merge-issue.ts'

const IssuePath = ProjectPath.extend({ issue_id: z.string() })
const tags = ['issues']

export function registerIssueChanges(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/issues/:issue_id/merge',
    config: { scope: 'issues:write' },
    schema: {
      tags,
      summary: 'Merge an issue into another one',
      description:
        'Its events, those to come too, count for the other issue, which is returned. Its id leads there. `unmerge` takes it back.',
      params: IssuePath,
      body: IssueMerge,
      response: { ...replies(IssueItem), 409: Problem },
    },
    handler: async (request) => {
      const doing = doingOf(request, request.params.issue_id, ctx)
      const into = await ctx.pg.transaction((client) =>
        mergeIssue(client, doing, request.body.into),
      )
      return itemById(request, into)
    },
  })

  app.route({
    method: 'POST',
    url: '/issues/:issue_id/unmerge',
    config: { scope: 'issues:write' },
    schema: {
      tags,
      summary: 'Take hashes out of an issue',
      description:
        'They go back to the issue that they were merged away from, which has its former state again; others become a new issue together. Counts follow exactly.',
      params: IssuePath,
      body: IssueUnmerge,
      response: { ...replies(IssueSplit), 409: Problem },
    },
    handler: async (request) => {
      const doing = doingOf(request, request.params.issue_id, ctx)
      const ids = await ctx.pg.transaction((client) =>
        unmergeIssue(client, doing, request.body.hashes),
      )
      const [issue, ...issues] = await Promise.all(
        [doing.issueId, ...ids].map((id) => itemById(request, id)),
      )
      return { issue: found(issue), issues }
    },
  })

  app.route({
    method: 'POST',
    url: '/issues/bulk',
    config: { scope: 'issues:write' },
    schema: {
      tags,
      summary: 'Change many issues at once',
      description: 'Those with the given ids, or those that a query of the list of issues finds.',
      params: ProjectPath,
      body: BulkChange,
      response: replies(BulkReply),
    },
    handler: (request) => changeInBulk(projectOf(request), request.body, callerOf(request), ctx),
  })

  app.route({
    method: 'DELETE',
    url: '/issues/:issue_id',
    config: { scope: 'issues:write' },
    schema: {
      tags,
      summary: 'Delete an issue with its events',
      description:
        'The issue is gone at once, with all that were merged into it, and a job deletes their events. The same error makes a new issue when it is seen again. Asked again, it tells how far the job is.',
      params: IssuePath,
      response: { ...errorReplies, 202: IssueDeletion },
    },
    handler: async (request, reply) => {
      const doing = doingOf(request, request.params.issue_id, ctx)
      reply.code(202)
      return ctx.pg.transaction((client) => deleteIssue(client, doing))
    },
  })

  async function itemById(request: FastifyRequest, id: string): Promise<IssueItem> {
    const project = projectOf(request)
    return itemOf(project, found(await findIssue(ctx.pg, { projectId: project.dsnId, id })), ctx)
  }
}

const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }

function doingOf(request: FastifyRequest, issueId: string, ctx: ApiContext): Doing {
  const { type, id, label } = callerOf(request)
  return {
    projectId: projectOf(request).dsnId,
    issueId: requireUuid(issueId),
    actor: { type, id, label },
    at: new Date(ctx.clock.nowMs()),
  }
}
