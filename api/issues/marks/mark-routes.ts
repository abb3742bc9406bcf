/** Routes for the bookmarks of a person and for links to tickets and pages elsewhere. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { IssueLink, NewIssueLink } from '#schemas/rest/issues/issue-link.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../../context.ts'
import {
  type ApiInstance,
  ProjectPath,
  personIdOf,
  projectOf,
  replies,
  requireUuid,
} from '../../http/route.ts'
import { issueActorOf } from '../issue-change-routes.ts'
import { bookmarkIssue } from './bookmark-issue.ts'
import { linkIssue, unlinkIssue } from './link-issue.ts'
import { linkView } from './link-view.ts'

const IssuePath = ProjectPath.extend({ issue_id: z.string() })
const tags = ['issues']
const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }

export function registerIssueMarks(app: ApiInstance, ctx: ApiContext): void {
  for (const method of ['PUT', 'DELETE'] as const) {
    const isBookmarked = method === 'PUT'
    app.route({
      method,
      url: '/issues/:issue_id/bookmark',
      // It changes nothing that others see, so viewers may have bookmarks, too.
      config: { scope: 'issues:read', role: 'viewer' },
      schema: {
        operationId: isBookmarked ? 'bookmarkIssue' : 'removeBookmark',
        tags,
        summary: isBookmarked ? 'Bookmark an issue' : 'Remove the bookmark of an issue',
        description:
          'For the person who is logged in; `bookmarks:me` finds the issues again. The request is idempotent. An access token has no bookmarks: 400.',
        params: IssuePath,
        response: { ...errorReplies, 204: z.null() },
      },
      handler: async (request, reply) => {
        await bookmarkIssue(ctx, personIdOf(request), { ...issueIn(request), isBookmarked })
        reply.code(204)
        return null
      },
    })
  }

  app.route({
    method: 'POST',
    url: '/issues/:issue_id/links',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'linkIssue',
      tags,
      summary: 'Link an issue to a ticket or a page',
      description:
        'At most 20 links for each issue. A URL that is linked already returns its link. `is:linked` finds issues with links.',
      params: IssuePath,
      body: NewIssueLink,
      response: { ...errorReplies, 201: IssueLink },
    },
    handler: async (request, reply) => {
      const input = { ...issueIn(request), link: request.body }
      const link = await linkIssue(ctx, issueActorOf(request), input)
      reply.code(201)
      return linkView(link)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/issues/:issue_id/links/:link_id',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'unlinkIssue',
      tags,
      summary: 'Remove a link of an issue',
      params: IssuePath.extend({ link_id: z.string() }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const linkId = requireUuid(request.params.link_id)
      await unlinkIssue(ctx, issueActorOf(request), { ...issueIn(request), linkId })
      reply.code(204)
      return null
    },
  })
}

function issueIn(request: FastifyRequest) {
  const { issue_id: id } = request.params as { issue_id: string }
  return { projectId: projectOf(request).dsnId, issueId: requireUuid(id) }
}
