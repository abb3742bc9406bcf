/** Routes of the alert emails that a person has stopped: `/api/v1/me/alert-stops`. */
import { z } from 'zod'
import { alertStopKinds } from '#schemas/alert-stop-token.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { AlertStopList } from '#schemas/rest/alerts/alert-stop.ts'
import { loginOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies, requireUuid } from '../../http/route.ts'
import { type ListedStop, listStops, removeStop, stopsListedMax } from './stop-store.ts'

const tags = ['alerts']
const { 200: _ok, ...errorReplies } = replies(AlertStopList)

export function registerMyStops(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/me/alert-stops',
    schema: {
      operationId: 'listAlertStops',
      tags,
      summary: 'List the alert emails that you have stopped',
      description: `Of the organization that you are logged in to. Newest first, at most ${stopsListedMax}. The links in alert emails stop them.`,
      response: replies(AlertStopList),
    },
    handler: async (request) => {
      const { personId, organizationId } = loginOf(request)
      const stops = await listStops(ctx.pg, { personId, organizationId })
      return { items: stops.map(viewOf), next_cursor: null }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/me/alert-stops/:id',
    config: { role: 'viewer' },
    schema: {
      operationId: 'deleteAlertStop',
      tags,
      summary: 'Get the alert emails of a rule, or about an issue, again',
      params: z.object({ id: z.string().describe('Id of the rule or the issue.') }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { personId } = loginOf(request)
      const subjectId = requireUuid(request.params.id)
      const removed = await ctx.pg.transaction(async (pg) => {
        let count = 0
        for (const kind of alertStopKinds) {
          if (await removeStop(pg, { kind, personId, subjectId })) count += 1
        }
        return count
      })
      if (removed === 0) throw new CodedError('not_found')
      reply.code(204)
      return null
    },
  })
}

function viewOf({ projectId, projectName, createdAt, ...stop }: ListedStop) {
  return {
    ...stop,
    project: { id: projectId, name: projectName },
    created_at: createdAt.toISOString(),
  }
}
