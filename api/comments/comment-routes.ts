/** Comments of an idea, for the users of a portal (portal-feedback-api: A). Behind the portal's gate. */
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import {
  CommentCreated,
  CommentListQuery,
  CommentPage,
  NewComment,
} from '#schemas/rest/portal/comment.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, requireUuid } from '../http/route.ts'
import { moderationOf } from '../moderation/moderation-of.ts'
import { viewerOf, writerOf } from '../portal/gate/enduser.ts'
import { portalOf } from '../portal/gate/portal-gate.ts'
import { findIdeaOfComments, holdIdeaOfComments, listReplies, listRoots } from './comment-store.ts'
import { createComment } from './create-comment.ts'
import { threadTree } from './thread-tree.ts'

const tags = ['ideas portal']
const params = z.object({ project_key: z.string(), idea_id: z.string() })
const refusals = { 400: Problem, 403: Problem, 404: Problem, 429: Problem, 503: Problem }

/** Called within the portal's scope. */
export function registerPortalComments(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/comments',
    config: { limit: 'read' },
    schema: {
      tags,
      summary: 'Comments of an idea, as threads',
      description:
        'Top-level comments, oldest first, each with all its replies. A reply deeper than five levels is shown below its ancestor on the fifth.',
      params,
      querystring: CommentListQuery,
      response: { 200: CommentPage, ...refusals },
    },
    handler: async (request) => {
      const { offset, limit, ...fields } = request.query
      const ideaId = requireUuid(request.params.idea_id)
      const viewer = await viewerOf(request, ctx, fields)
      const viewerId = viewer?.id ?? null
      const { projectId } = portalOf(request)
      found(await findIdeaOfComments(ctx.pg, { projectId, ideaId, viewerId }))
      const { roots, total } = await listRoots(ctx.pg, { ideaId, viewerId, offset, limit })
      const rootIds = roots.map(({ id }) => id)
      const replies = await listReplies(ctx.pg, { rootIds, viewerId })
      return {
        items: threadTree(roots, replies),
        has_more: offset + roots.length < total,
        total,
      }
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/comments',
    config: { limit: 'comment' },
    schema: {
      tags,
      summary: 'Comment on an idea, or answer a comment',
      description:
        'A project may have comments read by a moderator first: the reply is the same, and until then only their author sees them. Somebody who left an address is told of replies.',
      params,
      body: NewComment,
      response: { 201: CommentCreated, ...refusals },
    },
    handler: async (request, reply) => {
      const { projectId, settings } = portalOf(request)
      const { body, parent_id: parentId, ...fields } = request.body
      const comment_id = await ctx.pg.transaction(async (pg) => {
        const author = await writerOf(pg, request, ctx, fields)
        if (settings.branding?.['allow_comments'] === false) {
          throw new CodedError('comments_closed')
        }
        const ideaId = requireUuid(request.params.idea_id)
        found(await holdIdeaOfComments(pg, { projectId, ideaId, viewerId: author.id }))
        return createComment(pg, {
          ...{ projectId, ideaId, parentId, body },
          authorId: author.id,
          authorName: author.name,
          authorEmail: author.emailOfThis,
          moderation: moderationOf(
            { what: 'comment', trusted: author.trusted, texts: [body] },
            settings,
          ),
          now: new Date(ctx.clock.nowMs()),
        })
      })
      return reply.code(201).send({ comment_id })
    },
  })
}
