import { z } from 'zod'
import { normalizeEventId } from '#schemas/ids.ts'
import { EventDetail, EventItem, EventListQuery } from '#schemas/rest/event.ts'
import { pageOf } from '#schemas/rest/page.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, ProjectPath, projectOf, replies } from '../http/route.ts'
import { getEvent } from './get-event.ts'
import { listEventPage } from './list-events.ts'

const tags = ['events']

export function registerEvents(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/events',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listEvents',
      tags,
      summary: 'List the events of a project',
      description: 'Newest first.',
      params: ProjectPath,
      querystring: EventListQuery,
      response: replies(pageOf(EventItem)),
    },
    handler: (request) => listEventPage(projectOf(request), request.query, ctx),
  })

  app.route({
    method: 'GET',
    url: '/events/:event_id',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getEvent',
      tags,
      summary: 'Get an event',
      description:
        'The stored payload, its grouping, and the events before and after it in its issue.',
      params: ProjectPath.extend({ event_id: z.string().describe('32 hex digits.') }),
      response: replies(EventDetail),
    },
    handler: async (request) => {
      const eventId = found(normalizeEventId(request.params.event_id))
      return found(await getEvent(projectOf(request), eventId, ctx))
    },
  })
}
