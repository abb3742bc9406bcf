/** Tags of a portal, for the team. */
import { z } from 'zod'
import { NewTag, PortalTag, TagChange } from '#schemas/rest/portal/tag-of-idea.ts'
import { actorOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies } from '../../http/route.ts'
import { adminPortalOf, PortalAdminPath } from '../../portal/admin-portal.ts'
import { listTagsOfProject, type StoredTag } from '../tag-of-idea-store.ts'
import { createTag } from './create-tag.ts'
import { deleteTag } from './delete-tag.ts'
import { updateTag } from './update-tag.ts'

const tags = ['idea tags']
const params = PortalAdminPath.extend({ slug: z.string() })
const { 200: _, ...refusals } = replies(PortalTag)

export function registerTagAdmin(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/tags',
    schema: {
      tags,
      operationId: 'listIdeaTags',
      summary: 'List idea tags',
      description: 'All tags of the portal in one page, in the order in which visitors see them.',
      params: PortalAdminPath,
      response: replies(z.object({ items: z.array(PortalTag) })),
    },
    handler: async (request) => {
      const rows = await listTagsOfProject(ctx.pg, adminPortalOf(request).projectId)
      return { items: rows.map(tagView) }
    },
  })

  app.route({
    method: 'POST',
    url: '/tags',
    schema: {
      tags,
      operationId: 'createIdeaTag',
      summary: 'Create an idea tag',
      params: PortalAdminPath,
      body: NewTag,
      response: { 201: PortalTag, ...refusals, 409: refusals[400] },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const tag = await createTag(ctx, actorOf(request), { projectId, tag: request.body })
      return reply.code(201).send(tagView(tag))
    },
  })

  app.route({
    method: 'PATCH',
    url: '/tags/:slug',
    schema: {
      tags,
      operationId: 'updateIdeaTag',
      summary: 'Update an idea tag',
      description: 'Changes its name, colour or position. The slug cannot be changed.',
      params,
      body: TagChange,
      response: replies(PortalTag),
    },
    handler: async (request) => {
      const { projectId } = adminPortalOf(request)
      const { slug } = request.params
      const change = request.body
      return tagView(await updateTag(ctx, actorOf(request), { projectId, slug, change }))
    },
  })

  app.route({
    method: 'DELETE',
    url: '/tags/:slug',
    schema: {
      tags,
      operationId: 'deleteIdeaTag',
      summary: 'Delete an idea tag and remove it from all ideas',
      params,
      response: { 204: z.null(), ...refusals },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const { slug } = request.params
      await deleteTag(ctx, actorOf(request), { projectId, slug })
      return reply.code(204).send(null)
    },
  })
}

function tagView({ id: _id, ...tag }: StoredTag) {
  return tag
}
