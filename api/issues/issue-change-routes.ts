/** Routes that comment on, merge, unmerge and delete issues, or update many of them. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { IssueActivity, IssueComment, IssueItem } from '#schemas/rest/issue.ts'
import {
  BulkChange,
  BulkReply,
  IssueCount,
  IssueCountQuery,
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
  personIdOf,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { addComment } from './comment-on-issue.ts'
import { deleteIssue } from './delete-issue.ts'
import { readIssueItem } from './get-issue.ts'
import type { IssueActor } from './issue-history-store.ts'
import { countIssues } from './listing/find-issue-ids.ts'
import { mergeIssue } from './merge-issue.ts'
import { unmergeIssue } from './unmerge-issue.ts'
import { updateIssues } from './update-issues.ts'

const IssuePath = ProjectPath.extend({ issue_id: z.string() })
const tags = ['issues']
const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }

export function registerIssueChanges(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/issues/:issue_id/merge',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'mergeIssue',
      tags,
      summary: 'Merge an issue into another issue',
      description:
        'Its events, also future ones, count for the other issue, which is returned. Its id redirects there. `unmerge` undoes the merge.',
      params: IssuePath,
      body: IssueMerge,
      response: { ...replies(IssueItem), 409: Problem },
    },
    handler: async (request) => {
      const input = { ...issueIn(request), into: request.body.into }
      const winner = await mergeIssue(ctx, issueActorOf(request), input)
      return readIssueItem(ctx, projectOf(request), winner)
    },
  })

  app.route({
    method: 'POST',
    url: '/issues/:issue_id/unmerge',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'unmergeIssue',
      tags,
      summary: 'Undo a merge, or split hashes off an issue',
      description:
        'The hashes go back to the issue that they were merged away from, which has its former state again. Hashes that never belonged to another issue become one new issue. Counts follow exactly.',
      params: IssuePath,
      body: IssueUnmerge,
      response: { ...replies(IssueSplit), 409: Problem },
    },
    handler: async (request) => {
      const project = projectOf(request)
      const input = { ...issueIn(request), hashes: request.body.hashes }
      const ids = await unmergeIssue(ctx, issueActorOf(request), input)
      const [issue, ...issues] = await Promise.all(
        [input.issueId, ...ids].map((id) => readIssueItem(ctx, project, id)),
      )
      return { issue: found(issue), issues }
    },
  })

  app.route({
    method: 'GET',
    url: '/issues/count',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'countIssues',
      tags,
      summary: 'Count the issues that a search query matches',
      description:
        'Counts the issues that an update of many issues with the same query changes, up to the number that one request changes.',
      params: ProjectPath,
      querystring: IssueCountQuery,
      response: replies(IssueCount),
    },
    handler: (request) =>
      countIssues(projectOf(request), { ...request.query, personId: personIdOf(request) }, ctx),
  })

  app.route({
    method: 'POST',
    url: '/issues/bulk',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'updateIssues',
      tags,
      summary: 'Update many issues',
      description:
        'Updates the issues with the given ids, or those that a search query finds, as in the list of issues.',
      params: ProjectPath,
      body: BulkChange,
      response: replies(BulkReply),
    },
    handler: (request) =>
      updateIssues(ctx, issueActorOf(request), {
        project: projectOf(request),
        bulk: request.body,
      }),
  })

  app.route({
    method: 'POST',
    url: '/issues/:issue_id/comments',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'commentOnIssue',
      tags,
      summary: 'Comment on an issue',
      description:
        'Returns the new entry of its `activity`. An issue that was merged takes no comments; its own ones show in the issue that has its events now.',
      params: IssuePath,
      body: IssueComment,
      response: { ...errorReplies, 201: IssueActivity },
    },
    handler: async (request, reply) => {
      const { issueId } = issueIn(request)
      const input = { project: projectOf(request), issueId, text: request.body.text }
      const entry = await addComment(ctx, issueActorOf(request), input)
      reply.code(201)
      return entry
    },
  })

  app.route({
    method: 'DELETE',
    url: '/issues/:issue_id',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'deleteIssue',
      tags,
      summary: 'Delete an issue and its events',
      description:
        'Deletes the issue at once, with all issues that were merged into it; a job deletes their events. A new event of the same error creates a new issue. A repeated request returns the state of the job.',
      params: IssuePath,
      response: { ...errorReplies, 202: IssueDeletion },
    },
    handler: async (request, reply) => {
      reply.code(202)
      return deleteIssue(ctx, issueActorOf(request), issueIn(request))
    },
  })
}

/** Who changes an issue: the token, or the person who is logged in. */
export function issueActorOf(request: FastifyRequest): IssueActor {
  const { type, id, label } = callerOf(request)
  return { type, id, label }
}

function issueIn(request: FastifyRequest) {
  const { issue_id: id } = request.params as { issue_id: string }
  return { projectId: projectOf(request).dsnId, issueId: requireUuid(id) }
}
