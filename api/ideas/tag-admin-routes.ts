/** Tags of a portal, made and changed by the team alone. A slug stays what it is: links and filters hold it. */
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import {
  NewTag,
  PortalTag,
  TagChange,
  tagsPerProjectMax,
} from '#schemas/rest/portal/tag-of-idea.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies } from '../http/route.ts'
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../portal/admin-portal.ts'
import {
  addTag,
  changeTag,
  deleteTag,
  listTagsOfProject,
  type StoredTag,
} from './tag-of-idea-store.ts'

const params = PortalAdminPath.extend({ slug: z.string() })
const { 200: _, ...refusals } = replies(PortalTag)

export function registerTagAdmin(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/tags',
    schema: {
      tags,
      summary: 'All tags of a portal',
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
      summary: 'Make a tag',
      params: PortalAdminPath,
      body: NewTag,
      response: { 201: PortalTag, ...refusals, 409: refusals[400] },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const made = await ctx.pg.transaction(async (pg) => {
        const tag = await addTag(pg, { id: uuidv7(), projectId, ...request.body })
        if (tag === 'slug_taken') throw conflict('A tag of this slug is there already.')
        if (tag === 'too_many') {
          throw conflict(`A portal has at most ${tagsPerProjectMax} tags.`)
        }
        const entry = { action: 'tag.created', subjectType: 'tag', subjectId: tag.id } as const
        await addAudit(pg, actorOf(request), { ...entry, details: { slug: tag.slug } })
        return tagView(tag)
      })
      return reply.code(201).send(made)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/tags/:slug',
    schema: {
      tags,
      summary: 'Change how a tag looks and where it stands',
      params,
      body: TagChange,
      response: replies(PortalTag),
    },
    handler: (request) =>
      ctx.pg.transaction(async (pg) => {
        const { projectId } = adminPortalOf(request)
        const { slug } = request.params
        const tag = found(await changeTag(pg, { projectId, slug, change: request.body }))
        const entry = { action: 'tag.changed', subjectType: 'tag', subjectId: tag.id } as const
        await addAudit(pg, actorOf(request), { ...entry, details: { slug, ...request.body } })
        return tagView(tag)
      }),
  })

  app.route({
    method: 'DELETE',
    url: '/tags/:slug',
    schema: {
      tags,
      summary: 'Delete a tag; ideas lose it',
      params,
      response: { 204: z.null(), ...refusals },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const { slug } = request.params
      await ctx.pg.transaction(async (pg) => {
        if (!(await deleteTag(pg, { projectId, slug }))) throw new CodedError('not_found')
        const entry = { action: 'tag.deleted', subjectType: 'tag', details: { slug } } as const
        await addAudit(pg, actorOf(request), entry)
      })
      return reply.code(204).send(null)
    },
  })
}

function tagView({ id: _id, ...tag }: StoredTag) {
  return tag
}

function conflict(message: string): CodedError {
  return new CodedError('conflict', { message })
}
