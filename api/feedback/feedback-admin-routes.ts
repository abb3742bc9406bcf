/** `/api/v1/admin/feedback/{project_id}`: feedback for the team. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  FeedbackBulk,
  FeedbackBulkReply,
  FeedbackChange,
  FeedbackItem,
  FeedbackListQuery,
  FeedbackPage,
  FeedbackStats,
  NewFeedback,
} from '#schemas/rest/portal/feedback.ts'
import { FeedbackInbox, FeedbackInboxQuery } from '#schemas/rest/portal/feedback-inbox.ts'
import { actorOf, forPeople, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { findProject } from '../projects/project-store.ts'
import { bulkFeedback } from './bulk-feedback.ts'
import { countFeedbackBy } from './count-feedback.ts'
import { createFeedback } from './create-feedback.ts'
import { deleteFeedback } from './delete-feedback.ts'
import { feedbackPage } from './feedback-page.ts'
import { FeedbackPath } from './feedback-routes.ts'
import { findFeedback } from './feedback-store.ts'
import { feedbackItem } from './feedback-view.ts'
import { registerFeedbackFiles } from './files/feedback-file-routes.ts'
import { listFeedbackInbox } from './list-feedback-inbox.ts'
import { updateFeedback } from './update-feedback.ts'

const tags = ['feedback']
const { 200: _, ...errorReplies } = replies(FeedbackItem)

export async function registerFeedbackAdmin(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)
  app.decorateRequest('project')
  app.addHook('preValidation', async (request) => {
    const { project_id } = request.params as { project_id: string }
    const { organizationId } = personOf(request)
    const project = await findProject(ctx.pg, { id: requireUuid(project_id), organizationId })
    request.setDecorator('project', found(project))
  })
  registerFeedbackFiles(app, ctx)

  app.route({
    method: 'GET',
    url: '',
    schema: {
      tags,
      operationId: 'listFeedback',
      summary: 'List feedback',
      description: 'Newest first. Needs a login; scripts use the route below /projects.',
      params: ProjectPath,
      querystring: FeedbackListQuery,
      response: replies(FeedbackPage),
    },
    handler: async (request) => feedbackPage(ctx.pg, projectOf(request).dsnId, request.query),
  })

  app.route({
    method: 'GET',
    url: '/stats',
    schema: {
      tags,
      operationId: 'getFeedbackStats',
      summary: 'Count feedback by status and by type',
      params: ProjectPath,
      response: replies(FeedbackStats),
    },
    handler: async (request) => countFeedbackBy(ctx.pg, projectOf(request).dsnId),
  })

  app.route({
    method: 'GET',
    url: '/inbox',
    schema: {
      tags,
      operationId: 'listFeedbackInbox',
      summary: 'List feedback by what it is about',
      description:
        'Newest first, in keyset pages; filters by several statuses, issue, person and release.',
      params: ProjectPath,
      querystring: FeedbackInboxQuery,
      response: replies(FeedbackInbox),
    },
    handler: async (request) => listFeedbackInbox(ctx.pg, projectOf(request).dsnId, request.query),
  })

  app.route({
    method: 'GET',
    url: '/:feedback_id',
    schema: {
      tags,
      operationId: 'getFeedback',
      summary: 'Get a feedback item',
      description: 'Returns archived items as well.',
      params: FeedbackPath,
      response: replies(FeedbackItem),
    },
    handler: async (request) => {
      const named = nameIn(request)
      return feedbackItem(found(await findFeedback(ctx.pg, named)))
    },
  })

  app.route({
    method: 'POST',
    url: '',
    schema: {
      tags,
      operationId: 'createFeedback',
      summary: 'Create a feedback item',
      description: 'For feedback that reached the team by email, phone or in person.',
      params: ProjectPath,
      body: NewFeedback,
      response: { ...errorReplies, 201: FeedbackItem },
    },
    handler: async (request, reply) => {
      const { dsnId } = projectOf(request)
      const row = await createFeedback(ctx, actorOf(request), { dsnId, feedback: request.body })
      return reply.code(201).send(feedbackItem(row))
    },
  })

  app.route({
    method: 'PATCH',
    url: '/:feedback_id',
    schema: {
      tags,
      operationId: 'updateFeedback',
      summary: 'Update a feedback item',
      description:
        'Changes its status or type, archives it or restores it. Omitted fields stay unchanged. New feedback that gets a type and no status becomes Active.',
      params: FeedbackPath,
      body: FeedbackChange,
      response: replies(FeedbackItem),
    },
    handler: async (request) => {
      const change = { ...nameIn(request), change: request.body }
      return feedbackItem(await updateFeedback(ctx, actorOf(request), change))
    },
  })

  app.route({
    method: 'DELETE',
    url: '/:feedback_id',
    schema: {
      tags,
      operationId: 'deleteFeedback',
      summary: 'Delete a feedback item',
      description: 'This cannot be undone.',
      params: FeedbackPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteFeedback(ctx, actorOf(request), nameIn(request))
      return reply.code(204).send(null)
    },
  })

  app.route({
    method: 'POST',
    url: '/bulk',
    schema: {
      tags,
      operationId: 'bulkUpdateFeedback',
      summary: 'Update or delete many feedback items',
      params: ProjectPath,
      body: FeedbackBulk,
      response: replies(FeedbackBulkReply),
    },
    handler: async (request) => {
      const { id, dsnId } = projectOf(request)
      const bulk = { project: { id, dsnId }, bulk: request.body }
      return { changed: await bulkFeedback(ctx, actorOf(request), bulk) }
    },
  })
}

function nameIn(request: FastifyRequest) {
  const { feedback_id } = request.params as { feedback_id: string }
  return { dsnId: projectOf(request).dsnId, id: requireUuid(feedback_id) }
}
