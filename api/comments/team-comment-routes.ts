/** Comments as the team writes, corrects and deletes them. */
import { z } from 'zod'
import { IdText } from '#schemas/rest/email/address-text.ts'
import { CommentBody, CommentCreated } from '#schemas/rest/portal/comment.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../portal/admin-portal.ts'
import { signatureOf } from '../portal/signature-of.ts'
import { deleteComment, editComment, holdIdeaOfComments } from './comment-store.ts'
import { createComment } from './create-comment.ts'

const CommentPath = PortalAdminPath.extend({ comment_id: z.string() })
const teamName = 'Team'

export function registerTeamComments(app: ApiInstance, ctx: ApiContext): void {
  const { 200: _, ...refusals } = replies(CommentCreated)

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/comments',
    schema: {
      tags,
      summary: 'Comment as the team',
      description: 'Carries is_team and the person’s name; whoever is answered is told by mail.',
      params: PortalAdminPath.extend({ idea_id: z.string() }),
      body: z.object({ body: CommentBody, parent_id: IdText.nullish() }).meta({
        example: { body: 'This comes with the next release.' },
      }),
      response: { 201: CommentCreated, ...refusals },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const { body, parent_id: parentId } = request.body
      const comment_id = await ctx.pg.transaction(async (pg) => {
        found(await holdIdeaOfComments(pg, { projectId, ideaId, viewerId: null }))
        const id = await createComment(pg, {
          ...{ projectId, ideaId, parentId, body, authorId: null, authorEmail: null },
          authorName: signatureOf(personOf(request)) ?? teamName,
          moderation: 'published',
          now: new Date(ctx.clock.nowMs()),
        })
        await addAudit(pg, actorOf(request), {
          action: 'comment.created',
          subjectType: 'comment',
          subjectId: id,
          details: { project_id: projectId, idea_id: ideaId },
        })
        return id
      })
      return reply.code(201).send({ comment_id })
    },
  })

  app.route({
    method: 'PATCH',
    url: '/comments/:comment_id',
    schema: {
      tags,
      summary: 'Correct a comment',
      params: CommentPath,
      body: z.object({ body: CommentBody }),
      response: replies(z.object({ comment_id: z.string(), body: z.string() })),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const commentId = requireUuid(request.params.comment_id)
      const { body } = request.body
      const now = new Date(ctx.clock.nowMs())
      const edited = await ctx.pg.transaction(async (pg) => {
        const row = await editComment(pg, { projectId, commentId, body, now })
        if (row === undefined) return undefined
        await addAudit(pg, actorOf(request), {
          action: 'comment.edited',
          subjectType: 'comment',
          subjectId: commentId,
          details: { project_id: projectId },
        })
        return row
      })
      const { id, body: text } = found(edited)
      return { comment_id: id, body: text }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/comments/:comment_id',
    schema: {
      tags,
      summary: 'Delete a comment',
      description: 'With replies below it an empty place stays, so that they can still be read.',
      params: CommentPath,
      response: { 204: z.null(), ...refusals, 404: Problem },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const commentId = requireUuid(request.params.comment_id)
      const now = new Date(ctx.clock.nowMs())
      const deleted = await ctx.pg.transaction(async (pg) => {
        if (!(await deleteComment(pg, { projectId, commentId, now }))) return undefined
        await addAudit(pg, actorOf(request), {
          action: 'comment.deleted',
          subjectType: 'comment',
          subjectId: commentId,
          details: { project_id: projectId },
        })
        return true
      })
      found(deleted)
      reply.code(204)
      return null
    },
  })
}
