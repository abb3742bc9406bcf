/** Deleting a project or the organization, and the receipts of all deletions. */
import { z } from 'zod'
import { Confirmation, DeletionItem, DeletionPage } from '#schemas/rest/deletion.ts'
import { PageQuery } from '#schemas/rest/page.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, fileReplies, found, replies, requireUuid } from '../http/route.ts'
import { deleteOrganization } from './delete-organization.ts'
import { deleteProject } from './delete-project.ts'
import { findDeletion, listDeletions } from './deletion-store.ts'
import { deletionView } from './deletion-view.ts'
import { exportOrganization } from './export-organization.ts'

const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)
const accepted = { ...errorReplies, 202: DeletionItem }

/** Below `/api/v1/organization`. */
export function registerDeletions(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'DELETE',
    url: '',
    config: { role: 'owner' },
    schema: {
      operationId: 'deleteOrganization',
      tags: ['organization'],
      summary: 'Delete the organization and everything in it',
      description:
        'Ends all access at once and removes all data in the background. This cannot be undone. The receipt stays with the operator of the installation.',
      querystring: Confirmation,
      response: accepted,
    },
    handler: async (request, reply) => {
      const deletion = await deleteOrganization(ctx, actorOf(request), request.query)
      reply.code(202)
      return deletionView(deletion)
    },
  })

  app.route({
    method: 'GET',
    url: '/export',
    config: { role: 'owner' },
    schema: {
      operationId: 'exportOrganization',
      tags: ['organization'],
      summary: 'Export everything of the organization as JSON Lines',
      description:
        'One JSON value per line: a header, which lists what is left out, one line per row, and a trailer with the number of rows per table. A file without a trailer was cut off.',
      response: fileReplies('jsonLines'),
    },
    handler: async (request, reply) => {
      const lines = await exportOrganization(ctx, actorOf(request))
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .header('content-disposition', 'attachment; filename="organization.jsonl"')
        .send(lines)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/projects/:id',
    config: { role: 'owner' },
    schema: {
      operationId: 'deleteProject',
      tags: ['projects'],
      summary: 'Delete a project with all its data',
      description:
        'Disables its DSN keys and its portal at once and removes all data in the background. This cannot be undone. A repeated call returns the state of the deletion.',
      params: IdPath,
      querystring: Confirmation,
      response: accepted,
    },
    handler: async (request, reply) => {
      const { confirm } = request.query
      const id = requireUuid(request.params.id)
      const deletion = await deleteProject(ctx, actorOf(request), { id, confirm })
      reply.code(202)
      return deletionView(deletion)
    },
  })

  app.route({
    method: 'GET',
    url: '/deletions',
    config: { role: 'owner' },
    schema: {
      operationId: 'listDeletions',
      tags: ['deletions'],
      summary: 'List deletions',
      description: 'Deletions of projects and erasures of people, newest first.',
      querystring: z.object(PageQuery),
      response: replies(DeletionPage),
    },
    handler: async (request) => {
      const { limit, cursor } = request.query
      const { organizationId } = personOf(request)
      const beforeId = decodeCursor(cursor, z.tuple([CursorUuid]))?.[0]
      const rows = await listDeletions(ctx.pg, { organizationId, beforeId, rowsMax: limit + 1 })
      const page = pageOfRows(rows, limit, ({ id }) => [id])
      return { ...page, items: page.items.map(deletionView) }
    },
  })

  app.route({
    method: 'GET',
    url: '/deletions/:deletion_id',
    config: { role: 'owner' },
    schema: {
      operationId: 'getDeletion',
      tags: ['deletions'],
      summary: 'Get a deletion: its progress or its receipt',
      params: z.object({ deletion_id: z.string() }),
      response: replies(DeletionItem),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const id = requireUuid(request.params.deletion_id)
      return deletionView(found(await findDeletion(ctx.pg, { organizationId, id })))
    },
  })
}
