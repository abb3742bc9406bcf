/** `/api/v1/projects/{project_id}/feedback`: feedback for scripts (portal-feedback-api: B). */
import { z } from 'zod'
import { FeedbackItem, FeedbackListQuery, FeedbackPage } from '#schemas/rest/portal/feedback.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { addFeedbackGate } from './feedback-gate.ts'
import { feedbackPage } from './feedback-page.ts'
import { findFeedback } from './feedback-store.ts'
import { feedbackItem } from './feedback-view.ts'

const tags = ['feedback']
export const FeedbackPath = ProjectPath.extend({ feedback_id: z.string() })

export async function registerFeedback(app: ApiInstance, ctx: ApiContext): Promise<void> {
  addFeedbackGate(app, ctx)

  app.route({
    method: 'GET',
    url: '',
    schema: {
      tags,
      operationId: 'listProjectFeedback',
      summary: 'List feedback with an access token',
      description:
        'Newest first. Needs the scope feedback:read. Filters are combined with AND. A page past the end is empty. All feedback routes together take 20 requests a minute from one client address.',
      params: ProjectPath,
      querystring: FeedbackListQuery,
      response: replies(FeedbackPage),
    },
    handler: async (request) => feedbackPage(ctx.pg, projectOf(request).dsnId, request.query),
  })

  app.route({
    method: 'GET',
    url: '/:feedback_id',
    schema: {
      tags,
      operationId: 'getProjectFeedback',
      summary: 'Get a feedback item with an access token',
      description: 'Returns archived items as well.',
      params: FeedbackPath,
      response: replies(FeedbackItem),
    },
    handler: async (request) => {
      const { dsnId } = projectOf(request)
      const id = requireUuid(request.params.feedback_id)
      return feedbackItem(found(await findFeedback(ctx.pg, { dsnId, id })))
    },
  })
}
