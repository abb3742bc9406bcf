/**
 * Reads of ideas and tags for visitors (portal-feedback-api: A). Postgres writes the JSON of
 * ideas; the schemas of these replies document it, and tests compare the two. Anonymous visitors
 * who request the same page at the same time share one query.
 */
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import {
  IdeaList,
  IdeaListQuery,
  IdeaQuery,
  IdeaReply,
  IdeaStats,
  IdeaTimeline,
  ideaStatuses,
  SimilarIdeas,
  SimilarQuery,
} from '#schemas/rest/portal/idea.ts'
import { portalConfigOf } from '#schemas/rest/portal/portal-config.ts'
import { TagsOfIdeas } from '#schemas/rest/portal/tag-of-idea.ts'
import { Problem } from '#schemas/rest/problem.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, requireUuid } from '../http/route.ts'
import { userClaimOf, viewerIdOf } from '../portal/gate/enduser.ts'
import { type PortalProject, portalOf } from '../portal/gate/portal-gate.ts'
import { findIdeaJson, listTimeline } from './idea-store.ts'
import { readIdeas, readSimilar } from './read-ideas.ts'
import { SharedReads } from './shared-reads.ts'
import { countByStatus, listTagsOfProject } from './tag-of-idea-store.ts'

const tags = ['ideas']
export const PortalPath = z.object({ project_key: z.string().describe("The portal's UUID.") })
export const IdeaPath = PortalPath.extend({ idea_id: z.string() })
const errors = { 400: Problem, 403: Problem, 404: Problem, 429: Problem, 503: Problem }

export function registerIdeaReads(app: ApiInstance, ctx: ApiContext): void {
  const lists = new SharedReads<SharedJson>()

  app.route({
    method: 'GET',
    url: '/ideas',
    config: { limit: 'read' },
    schema: {
      tags,
      operationId: 'listPortalIdeas',
      summary: 'List the ideas of a portal',
      description:
        'Filters are combined with AND. A search finds ideas with all its words, the last of which may be a prefix; if there are none, it finds similar titles. An unknown tag gives an empty page. The reply has `portal_config` if branding is saved.',
      params: PortalPath,
      querystring: IdeaListQuery,
      response: { 200: IdeaList, ...errors },
    },
    handler: async (request, reply) => {
      const { query } = request
      const portal = portalOf(request)
      const enduserId = await viewerIdOf(ctx, userClaimOf(request, query))
      const read = async () => {
        const page = await readIdeas(ctx.pg, { portal, query, enduserId })
        const hasMore = query.offset + page.itemCount < page.total
        return new SharedJson(`{"items":${page.items},"has_more":${hasMore},"total":${page.total}`)
      }
      const { offset, limit, sort_by_votes, tag, status, search } = query
      const question = [portal.projectId, offset, limit, sort_by_votes, tag, status, search]
      const page =
        enduserId === undefined ? await lists.read(JSON.stringify(question), read) : await read()
      return sendJson(reply, page.endingWith(`${configMember(portal)}}`))
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/stats',
    config: { limit: 'read' },
    schema: {
      tags,
      operationId: 'getPortalIdeaStats',
      summary: 'Count ideas by status',
      params: PortalPath,
      response: { 200: IdeaStats, ...errors },
    },
    handler: async (request) => {
      const byStatus = await countByStatus(ctx.pg, portalOf(request).projectId)
      const counts = ideaStatuses.flatMap((status) => {
        const count = byStatus.get(status)
        return count === undefined ? [] : [{ status, count }]
      })
      return { counts, total: counts.reduce((sum, { count }) => sum + count, 0) }
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/similar',
    config: { limit: 'read' },
    schema: {
      tags,
      operationId: 'listSimilarPortalIdeas',
      summary: 'List ideas with a similar title',
      description:
        'An extension of the specification: shown while a visitor types the title of a new idea.',
      params: PortalPath,
      querystring: SimilarQuery,
      response: { 200: SimilarIdeas, ...errors },
    },
    handler: async (request, reply) => {
      const { query } = request
      const enduserId = await viewerIdOf(ctx, userClaimOf(request, query))
      const items = await readSimilar(ctx.pg, { portal: portalOf(request), query, enduserId })
      return sendJson(reply, `{"items":${items}}`)
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id',
    config: { limit: 'read' },
    schema: {
      tags,
      operationId: 'getPortalIdea',
      summary: 'Get an idea of a portal',
      description: 'A merged idea has `duplicate_of`.',
      params: IdeaPath,
      querystring: IdeaQuery,
      response: { 200: IdeaReply, ...errors },
    },
    handler: async (request, reply) => {
      const portal = portalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const enduserId = await viewerIdOf(ctx, userClaimOf(request, request.query))
      const { projectId } = portal
      const idea = found(await findIdeaJson(ctx.pg, { projectId, ideaId, enduserId }))
      return sendJson(reply, `{"feature":${idea}${configMember(portal)}}`)
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/timeline',
    config: { limit: 'read' },
    schema: {
      tags,
      operationId: 'listPortalIdeaTimeline',
      summary: 'List the history of an idea',
      description:
        'Oldest first. An extension of the specification. Only its author sees the history of a pending idea.',
      params: IdeaPath,
      querystring: IdeaQuery,
      response: { 200: IdeaTimeline, ...errors },
    },
    handler: async (request) => {
      const ideaId = requireUuid(request.params.idea_id)
      const { projectId } = portalOf(request)
      const enduserId = await viewerIdOf(ctx, userClaimOf(request, request.query))
      found(await findIdeaJson(ctx.pg, { projectId, ideaId, enduserId }))
      return { items: await listTimeline(ctx.pg, ideaId) }
    },
  })

  app.route({
    method: 'GET',
    url: '/tags',
    config: { limit: 'read' },
    schema: {
      tags: ['idea tags'],
      operationId: 'listPortalTags',
      summary: 'List the tags of a portal',
      params: PortalPath,
      response: { 200: TagsOfIdeas, ...errors },
    },
    handler: async (request) => {
      const rows = await listTagsOfProject(ctx.pg, portalOf(request).projectId)
      return {
        tags: rows.map(({ slug, name, color, idea_count }) => ({ slug, name, color, idea_count })),
      }
    },
  })
}

/** The beginning of many replies. Replies with the same end share one buffer. */
class SharedJson {
  readonly #beginning: string
  #last: { readonly end: string; readonly bytes: Buffer } | undefined

  constructor(beginning: string) {
    this.#beginning = beginning
  }

  endingWith(end: string): Buffer {
    if (this.#last?.end !== end) this.#last = { end, bytes: Buffer.from(this.#beginning + end) }
    return this.#last.bytes
  }
}

/** Sends JSON text without parsing it. */
function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** JSON of the branding, for as long as the portal is cached. */
const members = new WeakMap<PortalProject['settings'], string>()

/** Empty if no branding is saved. */
function configMember({ settings }: PortalProject): string {
  const known = members.get(settings)
  if (known !== undefined) return known
  const config = portalConfigOf(settings)
  const member = config === undefined ? '' : `,"portal_config":${JSON.stringify(config)}`
  members.set(settings, member)
  return member
}
