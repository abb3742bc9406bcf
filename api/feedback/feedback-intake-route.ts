/**
 * `POST /api/v1/p/{project_key}/feedback`: a form on a page of the project sends feedback. This
 * route is an extension of the specification, which has none. It has the gates, origins and users
 * of the portal's other writes.
 */
import { z } from 'zod'
import { FeedbackIntake, FeedbackTaken } from '#schemas/rest/portal/feedback.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { userClaimOf } from '../portal/gate/enduser.ts'
import { sendFeedback } from './send-feedback.ts'

const PortalPath = z.object({ project_key: z.string().describe("The portal's UUID.") })
const refusals = { 400: Problem, 403: Problem, 404: Problem, 429: Problem, 503: Problem }

export function registerFeedbackIntake(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/feedback',
    config: { limit: 'feedback_intake' },
    schema: {
      tags: ['feedback'],
      operationId: 'sendPortalFeedback',
      summary: 'Send feedback from a page',
      description:
        'An extension of the specification. At most 5 a minute from one client address. The team lists it with GET /api/v1/projects/{project_id}/feedback.',
      params: PortalPath,
      body: FeedbackIntake,
      response: { 201: FeedbackTaken, ...refusals },
    },
    handler: async (request, reply) => {
      const { message, type, path, version, ...fields } = request.body
      const claim = userClaimOf(request, fields)
      const feedback_id = await sendFeedback(ctx, claim, { message, type, path, version })
      return reply.code(201).send({ feedback_id })
    },
  })
}
