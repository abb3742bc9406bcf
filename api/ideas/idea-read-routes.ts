/**
 * Reading ideas, tags and their numbers (portal-feedback-api: A). Replies are JSON text that the store wrote; their schemas document
 * them and are held against them by tests. Visitors who ask for the same page at the same time, and do not say who they are, share one
 * answer.
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
import { viewerIdOf } from '../portal/gate/enduser.ts'
import { type PortalProject, portalOf } from '../portal/gate/portal-gate.ts'
import { findIdeaJson, listTimeline } from './idea-store.ts'
import { readIdeas, readSimilar } from './read-ideas.ts'
import { SharedReads } from './shared-reads.ts'
import { countByStatus, listTagsOfProject } from './tag-of-idea-store.ts'

const tags = ['ideas portal']
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
      summary: 'Ideas, with what the portal looks like',
      description:
        'Filters combine. A search is for all of its words, the last of which may be the beginning of one; where nothing has them, for titles that sound alike. An unknown tag gives an empty page.',
      params: PortalPath,
      querystring: IdeaListQuery,
      response: { 200: IdeaList, ...errors },
    },
    handler: async (request, reply) => {
      const { query } = request
      const portal = portalOf(request)
      const enduserId = viewerIdOf(request, ctx, query)
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
      summary: 'How many ideas have each status',
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
      summary: 'What resembles a title that is being typed',
      description: 'An extension: shown before somebody suggests what is there already.',
      params: PortalPath,
      querystring: SimilarQuery,
      response: { 200: SimilarIdeas, ...errors },
    },
    handler: async (request, reply) => {
      const { query } = request
      const enduserId = viewerIdOf(request, ctx, query)
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
      summary: 'One idea',
      description: 'One that was merged is still found here, with `duplicate_of`.',
      params: IdeaPath,
      querystring: IdeaQuery,
      response: { 200: IdeaReply, ...errors },
    },
    handler: async (request, reply) => {
      const portal = portalOf(request)
      const ideaId = requireUuid(request.params.idea_id)
      const enduserId = viewerIdOf(request, ctx, request.query)
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
      summary: 'List what has happened to an idea, oldest first',
      description:
        'An extension. An idea that awaits moderation has a timeline for its author alone.',
      params: IdeaPath,
      querystring: IdeaQuery,
      response: { 200: IdeaTimeline, ...errors },
    },
    handler: async (request) => {
      const ideaId = requireUuid(request.params.idea_id)
      const { projectId } = portalOf(request)
      const enduserId = viewerIdOf(request, ctx, request.query)
      found(await findIdeaJson(ctx.pg, { projectId, ideaId, enduserId }))
      return { items: await listTimeline(ctx.pg, ideaId) }
    },
  })

  app.route({
    method: 'GET',
    url: '/tags',
    config: { limit: 'read' },
    schema: {
      tags,
      summary: 'All tags of the portal',
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

/** What many replies begin with; those that end alike are the same bytes. */
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

/** Goes out as it is. */
function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

/** Settings are kept for seconds, and with them how they look in a reply. */
const members = new WeakMap<PortalProject['settings'], string>()

/** Nothing, where no branding was saved. */
function configMember({ settings }: PortalProject): string {
  const known = members.get(settings)
  if (known !== undefined) return known
  const config = portalConfigOf(settings)
  const member = config === undefined ? '' : `,"portal_config":${JSON.stringify(config)}`
  members.set(settings, member)
  return member
}
