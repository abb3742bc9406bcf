/**
 * `POST /api/v1/p/{project_key}/feedback`: a form on a page of the project sends what somebody said. The specification shows no way
 * in, so this one is an extension: the same gates, origins and users as the portal's other writes, but that one may stay nameless
 * where the project does not sign its users.
 */
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { pagePath } from '#schemas/page-path.ts'
import { FeedbackIntake, FeedbackTaken } from '#schemas/rest/portal/feedback.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { writerOf } from '../portal/gate/enduser.ts'
import { portalOf } from '../portal/gate/portal-gate.ts'
import { addFeedback } from './feedback-writes.ts'

const PortalPath = z.object({ project_key: z.string().describe("The portal's UUID.") })

export function registerFeedbackIntake(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/feedback',
    config: { limit: 'feedback_intake' },
    schema: {
      tags: ['portal'],
      summary: 'Send feedback from a page',
      description:
        'An extension. 5 a minute from one address. Read it at /api/v1/projects/{project_id}/feedback.',
      params: PortalPath,
      body: FeedbackIntake,
      response: {
        ...{ 201: FeedbackTaken, 400: Problem, 403: Problem, 404: Problem, 429: Problem },
        503: Problem,
      },
    },
    handler: async (request, reply) => {
      const portal = portalOf(request)
      const { message, type, path, version, ...who } = request.body
      const id = uuidv7()
      const at = new Date(ctx.clock.nowMs())
      const isNamed = portal.settings.enduserAuth || (who.enduser_id?.trim() ?? '') !== ''
      await ctx.pg.transaction(async (client) => {
        const writer = isNamed ? await writerOf(client, request, ctx, who) : undefined
        const row = {
          ...{ id, message, type: type ?? ('Other' as const), status: 'New' as const },
          ...{ source: 'Api' as const, archived: false, created_at: at },
          ...{ path: pagePath(path ?? '') ?? null, version: version || null },
          ...{ environment: null, component: null },
          person_name: writer?.name ?? null,
          person_email: writer?.emailOfThis ?? writer?.email ?? namelessEmail(who.enduser_email),
          enduser_id: writer?.enduserId ?? null,
        }
        await addFeedback(client, { dsnId: portal.dsnId, rows: [row], at })
      })
      reply.code(201)
      return { feedback_id: id }
    },
  })
}

/** Refused before anything is stored: feedback with an address that no answer reaches looks as if nobody answered. */
function namelessEmail(text: string | null | undefined): string | null {
  if (text === undefined || text === null || text.trim() === '') return null
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('enduser_email', parsed.rule)
  return parsed.email
}
