import { z } from 'zod'
import { DsnKeyChange, DsnKeyItem, DsnKeyList, NewDsnKeyBody } from '#schemas/rest/dsn-key.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, ProjectPath, projectOf, replies, requireUuid } from '../http/route.ts'
import type { StoredProject } from '../projects/project-store.ts'
import { createDsnKey } from './create-dsn-key.ts'
import { deleteDsnKey } from './delete-dsn-key.ts'
import { listProjectKeys, type StoredDsnKey } from './dsn-key-store.ts'
import { formatDsn } from './format-dsn.ts'
import { updateDsnKey } from './update-dsn-key.ts'

const tags = ['DSN keys']
const KeyPath = ProjectPath.extend({ key_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerKeys(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/keys',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listDsnKeys',
      tags,
      summary: 'List the DSN keys of a project',
      description: 'Oldest first.',
      params: ProjectPath,
      response: replies(DsnKeyList),
    },
    handler: async (request) => {
      const project = projectOf(request)
      const keys = await listProjectKeys(ctx.pg, project.id)
      return { items: keys.map((key) => viewOf(key, project, ctx)) }
    },
  })

  app.route({
    method: 'POST',
    url: '/keys',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'createDsnKey',
      tags,
      summary: 'Create a DSN key',
      params: ProjectPath,
      body: NewDsnKeyBody,
      response: { ...errorReplies, 201: DsnKeyItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const project = projectOf(request)
      const { label, rate_limit: perMinute } = request.body
      const input = { projectId: project.id, label, perMinute }
      const key = await createDsnKey(ctx, actorOf(request), input)
      reply.code(201)
      return viewOf(key, project, ctx)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/keys/:key_id',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'updateDsnKey',
      tags,
      summary: 'Update a DSN key',
      description:
        'A field that is left out keeps its value. A disabled key is refused at once, with 403.',
      params: KeyPath,
      body: DsnKeyChange,
      response: replies(DsnKeyItem),
    },
    handler: async (request) => {
      const project = projectOf(request)
      const id = requireUuid(request.params.key_id)
      const input = { projectId: project.id, id, change: request.body }
      return viewOf(await updateDsnKey(ctx, actorOf(request), input), project, ctx)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/keys/:key_id',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'deleteDsnKey',
      tags,
      summary: 'Delete a DSN key',
      description: 'The key is refused at once, with 403. Events that it brought stay.',
      params: KeyPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const id = requireUuid(request.params.key_id)
      await deleteDsnKey(ctx, actorOf(request), { projectId: projectOf(request).id, id })
      reply.code(204)
      return null
    },
  })
}

function viewOf(key: StoredDsnKey, project: StoredProject, { ingestUrl }: ApiContext): DsnKeyItem {
  const { key_no: _keyNo, last_used_at, created_at, ...fields } = key
  return {
    ...fields,
    dsn: formatDsn({ ingestUrl, publicKey: key.public_key, dsnId: project.dsnId }),
    last_used_at: last_used_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
