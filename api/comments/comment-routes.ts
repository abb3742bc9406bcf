/** Comments of an idea, for visitors (portal-feedback-api: A). Behind the portal's gate. */
import { z } from 'zod'
import {
  CommentCreated,
  CommentListQuery,
  CommentPage,
  NewComment,
} from '#schemas/rest/portal/comment.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, requireUuid } from '../http/route.ts'
import { userClaimOf, viewerOf } from '../portal/gate/enduser.ts'
import { portalOf } from '../portal/gate/portal-gate.ts'
import { findIdeaOfComments, listReplies, listRoots } from './comment-store.ts'
import { createComment } from './create-comment.ts'
import { threadTree } from './thread-tree.ts'

const tags = ['comments']
const params = z.object({ project_key: z.string(), idea_id: z.string() })
const refusals = { 400: Problem, 403: Problem, 404: Problem, 429: Problem, 503: Problem }

/** Call it in the scope of the portal's gate. */
export function registerPortalComments(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/comments',
    config: { limit: 'read' },
    schema: {
      tags,
      operationId: 'listPortalComments',
      summary: 'List the comments of an idea as threads',
      description:
        'Top-level comments, oldest first, each with all its replies. A reply below the fifth level is listed under its ancestor on the fifth level.',
      params,
      querystring: CommentListQuery,
      response: { 200: CommentPage, ...refusals },
    },
    handler: async (request) => {
      const { offset, limit, ...fields } = request.query
      const ideaId = requireUuid(request.params.idea_id)
      const viewer = await viewerOf(ctx, userClaimOf(request, fields))
      const viewerId = viewer?.id ?? null
      const { projectId } = portalOf(request)
      found(await findIdeaOfComments(ctx.pg, { projectId, ideaId, viewerId }))
      const { roots, total } = await listRoots(ctx.pg, { ideaId, viewerId, offset, limit })
      const rootIds = roots.map(({ id }) => id)
      const replies = await listReplies(ctx.pg, { rootIds, viewerId })
      const has_more = offset + roots.length < total
      return { items: threadTree(roots, replies), has_more, total }
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/comments',
    config: { limit: 'comment' },
    schema: {
      tags,
      operationId: 'createPortalComment',
      summary: 'Comment on an idea or reply to a comment',
      description:
        'If comments are moderated, the reply is the same, and only the author sees the comment until it is approved. A user who gives an email address is notified of replies.',
      params,
      body: NewComment,
      response: { 201: CommentCreated, ...refusals },
    },
    handler: async (request, reply) => {
      const { body, parent_id: parentId, ...fields } = request.body
      const { idea_id: ideaId } = request.params
      const claim = userClaimOf(request, fields)
      const comment_id = await createComment(ctx, claim, { ideaId, parentId, body })
      return reply.code(201).send({ comment_id })
    },
  })
}
