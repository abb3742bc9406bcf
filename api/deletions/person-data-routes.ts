/** `/api/v1/admin/person-data`: everything that is stored about one person. */
import { DeletionItem, PersonBody, PersonDataCounts, PersonQuery } from '#schemas/rest/deletion.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, forPeople, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, fileReplies, replies } from '../http/route.ts'
import { deletionView } from './deletion-view.ts'
import { erasePerson } from './erase-person.ts'
import { exportPerson, showPerson } from './show-person.ts'

const tags = ['person data']
const { 200: _ok, ...errorReplies } = replies(Problem)

export async function registerPersonData(app: ApiInstance, ctx: ApiContext): Promise<void> {
  await forPeople(app, ctx)

  app.route({
    method: 'GET',
    url: '',
    config: { role: 'owner' },
    schema: {
      operationId: 'showPersonData',
      tags,
      summary: 'Count what is stored about a person',
      description: 'By email address, user id, IP address, or several of them.',
      querystring: PersonQuery,
      response: replies(PersonDataCounts),
    },
    handler: (request) => showPerson(ctx, personOf(request).organizationId, request.query),
  })

  app.route({
    method: 'GET',
    url: '/export',
    config: { role: 'owner' },
    schema: {
      operationId: 'exportPersonData',
      tags,
      summary: 'Export what is stored about a person as JSON Lines',
      querystring: PersonQuery,
      response: fileReplies('jsonLines'),
    },
    handler: async (request, reply) => {
      const lines = await exportPerson(ctx, actorOf(request), request.query)
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .header('content-disposition', 'attachment; filename="person-data.jsonl"')
        .send(lines)
    },
  })

  app.route({
    method: 'POST',
    url: '/erase',
    config: { role: 'owner' },
    schema: {
      operationId: 'erasePersonData',
      tags,
      summary: 'Erase what is stored about a person',
      description:
        'Deletes the contact and replaces the values in events, feedback and the portal, in the background. Counts stay the same. This cannot be undone.',
      body: PersonBody,
      response: { ...errorReplies, 202: DeletionItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const deletion = await erasePerson(ctx, actorOf(request), request.body)
      reply.code(202)
      return deletionView(deletion)
    },
  })
}
