import { z } from 'zod'
import { NameBody, ProjectItem, ProjectList } from '#schemas/rest/organization.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { formatDsn } from '../keys/format-dsn.ts'
import { createProject } from './create-project.ts'
import {
  findOrganizationProject,
  listOrganizationProjects,
  type OrganizationProject,
} from './project-store.ts'
import { updateProject } from './update-project.ts'

const tags = ['projects']
const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerProjects(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/projects',
    schema: {
      operationId: 'listProjects',
      tags,
      summary: 'List projects',
      description: 'Oldest first.',
      response: replies(ProjectList),
    },
    handler: async (request) => {
      const rows = await listOrganizationProjects(ctx.pg, personOf(request).organizationId)
      return { items: rows.map((row) => viewOf(row, ctx)), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: '/projects/:id',
    schema: {
      operationId: 'getProject',
      tags,
      summary: 'Get a project',
      params: IdPath,
      response: replies(ProjectItem),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const id = requireUuid(request.params.id)
      return viewOf(found(await findOrganizationProject(ctx.pg, { organizationId, id })), ctx)
    },
  })

  app.route({
    method: 'POST',
    url: '/projects',
    schema: {
      operationId: 'createProject',
      tags,
      summary: 'Create a project with a default DSN key',
      body: NameBody,
      response: { ...errorReplies, 201: ProjectItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const project = await createProject(ctx, actorOf(request), request.body)
      reply.code(201)
      return viewOf(project, ctx)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/projects/:id',
    schema: {
      operationId: 'updateProject',
      tags,
      summary: 'Rename a project',
      description: 'The short ids of its issues stay the same.',
      params: IdPath,
      body: NameBody,
      response: replies(ProjectItem),
    },
    handler: async (request) => {
      const input = { id: requireUuid(request.params.id), name: request.body.name }
      return viewOf(await updateProject(ctx, actorOf(request), input), ctx)
    },
  })
}

function viewOf(row: OrganizationProject, { ingestUrl }: ApiContext): ProjectItem {
  const { public_key: publicKey, dsn_id: dsnId, created_at, ...fields } = row
  return {
    ...fields,
    dsn_id: String(dsnId),
    dsn: publicKey === null ? null : formatDsn({ ingestUrl, publicKey, dsnId }),
    created_at: created_at.toISOString(),
  }
}
