/**
 * `/api/v1/admin/feedback/{project_id}`: people of the team sort what was said. Each change and its line in the audit log are one
 * transaction. Files in and out stand in feedback-file-routes.ts.
 */
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { pagePath } from '#schemas/page-path.ts'
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
import { type AuditEntry, addAudit } from '../audit/audit-store.ts'
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
import { countFeedbackBy } from './count-feedback.ts'
import { registerFeedbackFiles } from './feedback-file-routes.ts'
import { feedbackPage } from './feedback-page.ts'
import { FeedbackPath } from './feedback-routes.ts'
import { findFeedback } from './feedback-store.ts'
import { feedbackItem } from './feedback-view.ts'
import { addFeedback, changeFeedback, deleteFeedback } from './feedback-writes.ts'

const tags = ['feedback administration']
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
      summary: 'Feedback, newest first, for people',
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
      summary: 'How much feedback there is, by status and by type',
      params: ProjectPath,
      response: replies(FeedbackStats),
    },
    handler: async (request) => countFeedbackBy(ctx.pg, projectOf(request).dsnId),
  })

  app.route({
    method: 'GET',
    url: '/:feedback_id',
    schema: {
      tags,
      summary: 'One feedback item, for people',
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
      summary: 'Write down what somebody said',
      params: ProjectPath,
      body: NewFeedback,
      response: { ...errorReplies, 201: FeedbackItem },
    },
    handler: async (request, reply) => {
      const { dsnId } = projectOf(request)
      const { path, version, person_name, person_email, ...said } = request.body
      const id = uuidv7()
      const at = new Date(ctx.clock.nowMs())
      const row = {
        ...{ id, ...said, source: 'Dashboard' as const, archived: false, created_at: at },
        path: pagePath(path ?? '') ?? null,
        ...{ version: version || null, environment: null, component: null, enduser_id: null },
        ...{ person_name: person_name || null, person_email: person_email || null },
      }
      const item = await ctx.pg.transaction(async (client) => {
        await addFeedback(client, { dsnId, rows: [row], at })
        await addAudit(client, actorOf(request), entry('created', id))
        return found(await findFeedback(client, { dsnId, id }))
      })
      reply.code(201)
      return feedbackItem(item)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/:feedback_id',
    schema: {
      tags,
      summary: 'Change status or type, archive or bring back',
      description:
        'What is left out stays as it is. New feedback that gets a type and no status becomes Active.',
      params: FeedbackPath,
      body: FeedbackChange,
      response: replies(FeedbackItem),
    },
    handler: async (request) => {
      const { dsnId, id } = nameIn(request)
      const change = request.body
      const at = new Date(ctx.clock.nowMs())
      return ctx.pg.transaction(async (client) => {
        const changed = await changeFeedback(client, { dsnId, ids: [id], change, at })
        found(changed === 1 || undefined)
        await addAudit(client, actorOf(request), entry('changed', id, change))
        return feedbackItem(found(await findFeedback(client, { dsnId, id })))
      })
    },
  })

  app.route({
    method: 'DELETE',
    url: '/:feedback_id',
    schema: {
      tags,
      summary: 'Delete a feedback item for good',
      params: FeedbackPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { dsnId, id } = nameIn(request)
      await ctx.pg.transaction(async (client) => {
        found((await deleteFeedback(client, { dsnId, ids: [id] })) === 1 || undefined)
        await addAudit(client, actorOf(request), entry('deleted', id))
      })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'POST',
    url: '/bulk',
    schema: {
      tags,
      summary: 'Change or delete many at once',
      params: ProjectPath,
      body: FeedbackBulk,
      response: replies(FeedbackBulkReply),
    },
    handler: async (request) => {
      const { id: projectId, dsnId } = projectOf(request)
      const { ids, change } = request.body
      const at = new Date(ctx.clock.nowMs())
      return ctx.pg.transaction(async (client) => {
        const changed =
          change === undefined
            ? await deleteFeedback(client, { dsnId, ids })
            : await changeFeedback(client, { dsnId, ids, change, at })
        const verb = change === undefined ? 'deleted' : 'changed'
        const details = { ids, count: changed, ...change }
        await addAudit(client, actorOf(request), {
          ...{ action: `feedback.${verb}`, subjectType: 'project', subjectId: projectId, details },
        })
        return { changed }
      })
    },
  })
}

function nameIn(request: Parameters<typeof projectOf>[0]) {
  const { feedback_id } = request.params as { feedback_id: string }
  return { dsnId: projectOf(request).dsnId, id: requireUuid(feedback_id) }
}

function entry(
  verb: 'created' | 'changed' | 'deleted',
  id: string,
  details: object = {},
): AuditEntry {
  return { action: `feedback.${verb}`, subjectType: 'feedback', subjectId: id, details }
}
