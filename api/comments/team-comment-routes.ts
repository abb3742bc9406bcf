/** Comments of a portal, for the team: list, write, correct, delete. */
import { z } from 'zod'
import { IdText } from '#schemas/rest/email/address-text.ts'
import { pageOf } from '#schemas/rest/page.ts'
import { CommentBody, CommentCreated } from '#schemas/rest/portal/comment.ts'
import { AdminComment, AdminCommentQuery } from '#schemas/rest/portal/comment-admin.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, replies, requireUuid } from '../http/route.ts'
import { adminPortalOf, PortalAdminPath, signatureOf } from '../portal/admin-portal.ts'
import { createTeamComment } from './create-team-comment.ts'
import { deleteComment } from './delete-comment.ts'
import { listCommentPage } from './list-comments.ts'
import { updateComment } from './update-comment.ts'

const tags = ['comments']
const CommentPath = PortalAdminPath.extend({ comment_id: z.string() })
const TeamComment = z
  .object({ body: CommentBody, parent_id: IdText.nullish() })
  .meta({ example: { body: 'This is part of the next release.' } })
const CommentChange = z
  .object({ body: CommentBody })
  .meta({ example: { body: 'This is part of release 2.4.' } })

export function registerTeamComments(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _, ...refusals } = replies(CommentCreated)

  app.route({
    method: 'GET',
    url: '/comments',
    schema: {
      tags,
      operationId: 'listComments',
      summary: 'List the comments of all ideas',
      description:
        'Newest first, without deleted comments. Includes authors, and comments that are pending or rejected.',
      params: PortalAdminPath,
      querystring: AdminCommentQuery,
      response: replies(pageOf(AdminComment)),
    },
    handler: (request) => listCommentPage(adminPortalOf(request).projectId, request.query, ctx),
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/comments',
    schema: {
      tags,
      operationId: 'createComment',
      summary: 'Create a comment as the team',
      description:
        'The comment has `is_team` and the name of the person. The author of the comment above a reply is notified by email.',
      params: PortalAdminPath.extend({ idea_id: z.string() }),
      body: TeamComment,
      response: { 201: CommentCreated, ...refusals },
    },
    handler: async (request, reply) => {
      const comment_id = await createTeamComment(ctx, actorOf(request), {
        projectId: adminPortalOf(request).projectId,
        ideaId: requireUuid(request.params.idea_id),
        parentId: request.body.parent_id,
        body: request.body.body,
        signature: signatureOf(personOf(request)),
      })
      return reply.code(201).send({ comment_id })
    },
  })

  app.route({
    method: 'PATCH',
    url: '/comments/:comment_id',
    schema: {
      tags,
      operationId: 'updateComment',
      summary: 'Update a comment',
      params: CommentPath,
      body: CommentChange,
      response: replies(z.object({ comment_id: z.string(), body: z.string() })),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const commentId = requireUuid(request.params.comment_id)
      const { body } = request.body
      const row = await updateComment(ctx, actorOf(request), { projectId, commentId, body })
      return { comment_id: row.id, body: row.body }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/comments/:comment_id',
    schema: {
      tags,
      operationId: 'deleteComment',
      summary: 'Delete a comment',
      description: 'While it has replies, an empty comment stays in its place.',
      params: CommentPath,
      response: { 204: z.null(), ...refusals, 404: Problem },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const commentId = requireUuid(request.params.comment_id)
      await deleteComment(ctx, actorOf(request), { projectId, commentId })
      return reply.code(204).send(null)
    },
  })
}
