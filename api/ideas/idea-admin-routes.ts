/** The team's work on ideas. Each change, its line in the idea's history and its line in the audit log are one transaction. */
import type { FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { pageOf } from '#schemas/rest/page.ts'
import {
  AdminIdea,
  AdminIdeaDetail,
  AdminIdeaQuery,
  IdeaChange,
  IdeaMerge,
  MergePreview,
  NewTeamIdea,
} from '#schemas/rest/portal/idea-admin.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { CursorTime, CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { adminPortalOf, PortalAdminPath, portalAdminTags as tags } from '../portal/admin-portal.ts'
import { signatureOf } from '../portal/signature-of.ts'
import { changeIdea, removeIdea } from './change-idea.ts'
import {
  findIdeaForTeam,
  type ListedIdea,
  listDuplicateTitles,
  listIdeaEvents,
  listIdeasForTeam,
} from './idea-admin-store.ts'
import { addIdea, addIdeaEvent } from './idea-store.ts'
import { type MergeOf, mergeIdea, unmergeIdea } from './merge-idea.ts'
import { setTagsOfIdea } from './tag-of-idea-store.ts'
import { countTogether } from './votes/vote-list-store.ts'

const Position = z.tuple([z.int(), CursorTime, CursorUuid])
const params = PortalAdminPath.extend({ idea_id: z.string() })
const { 200: _, ...refusals } = replies(AdminIdea)

export function registerIdeaAdmin(app: ApiInstance, ctx: ApiContext): void {
  const of = (request: FastifyRequest): MergeOf => ({
    projectId: adminPortalOf(request).projectId,
    ideaId: requireUuid((request.params as { idea_id: string }).idea_id),
    actor: actorOf(request).name,
    now: new Date(ctx.clock.nowMs()),
  })
  /** What is changed, how the log calls it, and how the idea is then. */
  const change = (
    request: FastifyRequest,
    action: `idea.${string}`,
    work: (pg: Database, idea: MergeOf) => Promise<object>,
  ) =>
    ctx.pg.transaction(async (pg) => {
      const idea = of(request)
      const details = await work(pg, idea)
      const audited = { action, subjectType: 'idea', subjectId: idea.ideaId, details }
      await addAudit(pg, actorOf(request), audited)
      return found(await findIdeaForTeam(pg, idea))
    })

  app.route({
    method: 'GET',
    url: '/ideas',
    schema: {
      tags,
      summary: 'Ideas with their authors, whatever moderation said',
      params: PortalAdminPath,
      querystring: AdminIdeaQuery,
      response: replies(pageOf(AdminIdea)),
    },
    handler: async (request) => {
      const { cursor, ...query } = request.query
      const { projectId, settings } = adminPortalOf(request)
      const after = decodeCursor(cursor, Position)
      const language = settings.searchLanguage
      const rows = await listIdeasForTeam(ctx.pg, { ...query, projectId, after, language })
      const page = pageOfRows(rows, query.limit, (row) => [
        query.sort === 'votes' ? row.vote_count : 0,
        new Date(row.position_at).toISOString(),
        row.id,
      ])
      return { ...page, items: page.items.map(withoutPosition) }
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas',
    schema: {
      tags,
      summary: 'An idea by the team itself',
      params: PortalAdminPath,
      body: NewTeamIdea,
      response: { 201: AdminIdea, ...refusals },
    },
    handler: async (request, reply) => {
      const { tags: slugs, ...idea } = request.body
      const { projectId } = adminPortalOf(request)
      const actor = actorOf(request)
      const now = new Date(ctx.clock.nowMs())
      const id = uuidv7({ msecs: now.getTime() })
      const made = await ctx.pg.transaction(async (pg) => {
        const author = { authorId: null, authorEmail: null, moderation: 'published' as const }
        await addIdea(pg, { id, projectId, ...idea, ...author, now })
        const unknown = await setTagsOfIdea(pg, { projectId, ideaId: id, slugs })
        if (unknown.length > 0)
          throw invalidField('tags', `must be tags of the project: ${unknown[0]} is none`)
        const event = { ideaId: id, kind: 'created' as const, toStatus: idea.status, now }
        await addIdeaEvent(pg, { ...event, actor: actor.name })
        await addAudit(pg, actor, { action: 'idea.created', subjectType: 'idea', subjectId: id })
        return found(await findIdeaForTeam(pg, { projectId, ideaId: id }))
      })
      return reply.code(201).send(made)
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id',
    schema: {
      tags,
      summary: 'One idea with its duplicates and its history',
      params,
      response: replies(AdminIdeaDetail),
    },
    handler: async (request) => {
      const idea = of(request)
      const row = found(await findIdeaForTeam(ctx.pg, idea))
      const [duplicates, events] = await Promise.all([
        listDuplicateTitles(ctx.pg, idea.ideaId),
        listIdeaEvents(ctx.pg, idea.ideaId),
      ])
      return { ...row, duplicates, events }
    },
  })

  app.route({
    method: 'PATCH',
    url: '/ideas/:idea_id',
    schema: {
      tags,
      summary: 'Change texts, status, tags or the official response',
      description:
        'A new status and a new response are told in one letter, five minutes later; whatever is put right until then is never told.',
      params,
      body: IdeaChange,
      response: replies(AdminIdea),
    },
    handler: (request) =>
      change(request, 'idea.changed', async (pg, idea) => ({
        fields: await changeIdea(pg, {
          ...idea,
          change: request.body,
          signature: signatureOf(personOf(request)),
        }),
      })),
  })

  app.route({
    method: 'DELETE',
    url: '/ideas/:idea_id',
    schema: {
      tags,
      summary: 'Delete an idea with its votes and comments',
      description: 'What was merged into it becomes an idea of its own again.',
      params,
      response: { 204: z.null(), ...refusals },
    },
    handler: async (request, reply) => {
      const idea = of(request)
      await ctx.pg.transaction(async (pg) => {
        const { title } = found(await findIdeaForTeam(pg, idea))
        await removeIdea(pg, idea)
        const entry = { action: 'idea.deleted', subjectType: 'idea', details: { title } } as const
        await addAudit(pg, actorOf(request), { ...entry, subjectId: idea.ideaId })
      })
      return reply.code(204).send(null)
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/merge-preview',
    schema: {
      tags,
      summary: 'How many votes a merge would make',
      params,
      querystring: z.object({ into: IdeaMerge.shape.into }),
      response: replies(MergePreview),
    },
    handler: async (request) => {
      const { projectId, ideaId } = of(request)
      const { into } = request.query
      return { into, ...found(await countTogether(ctx.pg, { projectId, ideaId, into })) }
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/merge',
    schema: {
      tags,
      summary: 'Merge an idea into the one that it duplicates',
      description:
        'Its votes count there, each voter once; the idea itself stays where links find it. Into a duplicate means into what that one duplicates.',
      params,
      body: IdeaMerge,
      response: { ...replies(AdminIdea), ...conflictReply() },
    },
    handler: (request) =>
      change(request, 'idea.merged', async (pg, idea) => ({
        into: await mergeIdea(pg, { ...idea, into: request.body.into }),
      })),
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/unmerge',
    schema: {
      tags,
      summary: 'Take a merge back',
      description: 'The votes that it brought go with it, and what had been merged into it before.',
      params,
      response: { ...replies(AdminIdea), ...conflictReply() },
    },
    handler: (request) =>
      change(request, 'idea.unmerged', async (pg, idea) => {
        await unmergeIdea(pg, idea)
        return {}
      }),
  })
}

function conflictReply() {
  return { 409: refusals[400] }
}

function withoutPosition({ position_at: _position, ...idea }: ListedIdea): AdminIdea {
  return idea
}
