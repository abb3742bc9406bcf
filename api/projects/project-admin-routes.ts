import { z } from 'zod'
import { NameBody, ProjectItem, ProjectList } from '#schemas/rest/organization.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { createDsnKey, createProject, formatDsn } from '../organization/account-store.ts'
import {
  findOrganizationProject,
  listOrganizationProjects,
  type OrganizationProject,
  renameProject,
} from '../organization/organization-store.ts'

const tags = ['organization']
const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerProjects(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/projects',
    schema: { tags, summary: 'The projects, the oldest first', response: replies(ProjectList) },
    handler: async (request) => {
      const rows = await listOrganizationProjects(ctx.pg, personOf(request).organizationId)
      return { items: rows.map((row) => viewOf(row, ctx)), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: '/projects/:id',
    schema: { tags, summary: 'One project', params: IdPath, response: replies(ProjectItem) },
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
      tags,
      summary: 'Make a project and its default DSN key',
      body: NameBody,
      response: { ...errorReplies, 201: ProjectItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const { organizationId } = personOf(request)
      const { name } = request.body
      const project = await ctx.pg.transaction(async (client) => {
        const { id } = await createProject(client, { organizationId, name })
        await createDsnKey(client, { projectId: id, label: null })
        await addAudit(client, actorOf(request), {
          action: 'project.created',
          subjectType: 'project',
          subjectId: id,
          details: { name },
        })
        return findOrganizationProject(client, { organizationId, id })
      })
      reply.code(201)
      return viewOf(found(project), ctx)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/projects/:id',
    schema: {
      tags,
      summary: 'Rename a project',
      description: 'Short ids of its issues stay as they are.',
      params: IdPath,
      body: NameBody,
      response: replies(ProjectItem),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const id = requireUuid(request.params.id)
      const { name } = request.body
      const project = await ctx.pg.transaction(async (client) => {
        const renamed = found(await renameProject(client, { organizationId, id, name }))
        await addAudit(client, actorOf(request), {
          action: 'project.renamed',
          subjectType: 'project',
          subjectId: id,
          details: { name },
        })
        return renamed
      })
      return viewOf(project, ctx)
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
