/** `/api/v1/projects/{project_id}/feedback`: what people said, read by scripts (portal-feedback-api: B). */
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
      summary: 'Feedback, newest first',
      description:
        'Needs the scope feedback:read. All filters must hold. A page past the end is empty. 20 calls a minute from one address, all routes of feedback together.',
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
      summary: 'One feedback item',
      description: 'The bare item, also of one that was archived.',
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
