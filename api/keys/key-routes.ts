import { z } from 'zod'
import { DsnKeyChange, DsnKeyItem, DsnKeyList, NewDsnKeyBody } from '#schemas/rest/dsn-key.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { formatDsn } from '../organization/account-store.ts'
import type { StoredProject } from '../projects/project-store.ts'
import {
  addProjectKey,
  changeProjectKey,
  deleteProjectKey,
  listProjectKeys,
  type StoredDsnKey,
} from './dsn-key-store.ts'

const tags = ['settings']
const KeyPath = ProjectPath.extend({ key_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerKeys(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/keys',
    config: { scope: 'issues:read' },
    schema: {
      tags,
      summary: 'The DSN keys of the project, the oldest first',
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
      tags,
      summary: 'Make a DSN key',
      params: ProjectPath,
      body: NewDsnKeyBody,
      response: { ...errorReplies, 201: DsnKeyItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const project = projectOf(request)
      const { label, rate_limit: perMinute } = request.body
      const key = await ctx.pg.transaction(async (client) => {
        const added = await addProjectKey(client, { projectId: project.id, label, perMinute })
        await addAudit(client, actorOf(request), {
          ...entryOf('created', added.id, project),
          details: { project_id: project.id, label },
        })
        return added
      })
      reply.code(201)
      return viewOf(key, project, ctx)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/keys/:key_id',
    config: { scope: 'settings:write' },
    schema: {
      tags,
      summary: 'Change a DSN key',
      description: 'What is left out stays as it is. A disabled key is refused at once, with 403.',
      params: KeyPath,
      body: DsnKeyChange,
      response: replies(DsnKeyItem),
    },
    handler: async (request) => {
      const project = projectOf(request)
      const key = { projectId: project.id, id: requireUuid(request.params.key_id) }
      const changed = await ctx.pg.transaction(async (client) => {
        const row = found(await changeProjectKey(client, key, request.body))
        await addAudit(client, actorOf(request), {
          ...entryOf('changed', key.id, project),
          details: { project_id: project.id, ...request.body },
        })
        return row
      })
      return viewOf(changed, project, ctx)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/keys/:key_id',
    config: { scope: 'settings:write' },
    schema: {
      tags,
      summary: 'Delete a DSN key',
      description: 'It is refused at once, with 403. What it brought stays.',
      params: KeyPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const project = projectOf(request)
      const key = { projectId: project.id, id: requireUuid(request.params.key_id) }
      await ctx.pg.transaction(async (client) => {
        found((await deleteProjectKey(client, key)) || undefined)
        await addAudit(client, actorOf(request), entryOf('deleted', key.id, project))
      })
      reply.code(204)
      return null
    },
  })
}

function entryOf(verb: 'created' | 'changed' | 'deleted', keyId: string, project: StoredProject) {
  return {
    action: `dsn_key.${verb}`,
    subjectType: 'dsn_key',
    subjectId: keyId,
    details: { project_id: project.id },
  } as const
}

function viewOf(key: StoredDsnKey, project: StoredProject, { ingestUrl }: ApiContext): DsnKeyItem {
  const { last_used_at, created_at, ...fields } = key
  return {
    ...fields,
    dsn: formatDsn({ ingestUrl, publicKey: key.public_key, dsnId: project.dsnId }),
    last_used_at: last_used_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
