/** Ideas of a portal, for the team. */
import type { FastifyRequest } from 'fastify'
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
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { adminPortalOf, PortalAdminPath, signatureOf } from '../portal/admin-portal.ts'
import { createIdea } from './create-idea.ts'
import { deleteIdea } from './delete-idea.ts'
import { findIdeaForTeam, listDuplicateTitles, listIdeaEvents } from './idea-admin-store.ts'
import type { IdeaName } from './idea-store.ts'
import { listIdeaPage } from './list-ideas-for-team.ts'
import { mergeIdea } from './merge-idea.ts'
import { unmergeIdea } from './unmerge-idea.ts'
import { updateIdea } from './update-idea.ts'
import { countTogether } from './votes/vote-list-store.ts'

const tags = ['ideas']
const params = PortalAdminPath.extend({ idea_id: z.string() })
const { 200: _, ...refusals } = replies(AdminIdea)

export function registerIdeaAdmin(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/ideas',
    schema: {
      tags,
      operationId: 'listIdeas',
      summary: 'List ideas',
      description: 'Includes authors, and ideas that are pending or rejected.',
      params: PortalAdminPath,
      querystring: AdminIdeaQuery,
      response: replies(pageOf(AdminIdea)),
    },
    handler: (request) => listIdeaPage(adminPortalOf(request), request.query, ctx),
  })

  app.route({
    method: 'POST',
    url: '/ideas',
    schema: {
      tags,
      operationId: 'createIdea',
      summary: 'Create an idea',
      description: 'The idea is from the team: it is published at once and has no author.',
      params: PortalAdminPath,
      body: NewTeamIdea,
      response: { 201: AdminIdea, ...refusals },
    },
    handler: async (request, reply) => {
      const { projectId } = adminPortalOf(request)
      const idea = await createIdea(ctx, actorOf(request), { projectId, idea: request.body })
      return reply.code(201).send(idea)
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id',
    schema: {
      tags,
      operationId: 'getIdea',
      summary: 'Get an idea',
      description: 'Includes its duplicates and its history.',
      params,
      response: replies(AdminIdeaDetail),
    },
    handler: async (request) => {
      const idea = ideaNameOf(request)
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
      operationId: 'updateIdea',
      summary: 'Update an idea',
      description:
        'Changes texts, status, tags or the official response. One email about a new status and a new response is sent after five minutes, with the values that are current then.',
      params,
      body: IdeaChange,
      response: replies(AdminIdea),
    },
    handler: (request) =>
      updateIdea(ctx, actorOf(request), {
        ...ideaNameOf(request),
        change: request.body,
        signature: signatureOf(personOf(request)),
      }),
  })

  app.route({
    method: 'DELETE',
    url: '/ideas/:idea_id',
    schema: {
      tags,
      operationId: 'deleteIdea',
      summary: 'Delete an idea',
      description:
        'Deletes its votes and comments too. Its duplicates become ideas of their own again.',
      params,
      response: { 204: z.null(), ...refusals },
    },
    handler: async (request, reply) => {
      await deleteIdea(ctx, actorOf(request), ideaNameOf(request))
      return reply.code(204).send(null)
    },
  })

  app.route({
    method: 'GET',
    url: '/ideas/:idea_id/merge-preview',
    schema: {
      tags,
      operationId: 'previewIdeaMerge',
      summary: 'Preview a merge',
      description: 'Counts the votes that the original would have after the merge.',
      params,
      querystring: z.object({ into: IdeaMerge.shape.into }),
      response: replies(MergePreview),
    },
    handler: async (request) => {
      const { projectId, ideaId } = ideaNameOf(request)
      const { into } = request.query
      return { into, ...found(await countTogether(ctx.pg, { projectId, ideaId, into })) }
    },
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/merge',
    schema: {
      tags,
      operationId: 'mergeIdea',
      summary: 'Merge an idea into another one',
      description:
        'Its votes count for the other idea, each voter once. Links to the merged idea keep working. If `into` is a duplicate itself, its original is used.',
      params,
      body: IdeaMerge,
      response: { ...replies(AdminIdea), 409: refusals[400] },
    },
    handler: (request) =>
      mergeIdea(ctx, actorOf(request), { ...ideaNameOf(request), into: request.body.into }),
  })

  app.route({
    method: 'POST',
    url: '/ideas/:idea_id/unmerge',
    schema: {
      tags,
      operationId: 'unmergeIdea',
      summary: 'Undo a merge',
      description:
        'The idea gets back its own votes, and the ideas that had been merged into it before.',
      params,
      response: { ...replies(AdminIdea), 409: refusals[400] },
    },
    handler: (request) => unmergeIdea(ctx, actorOf(request), ideaNameOf(request)),
  })
}

function ideaNameOf(request: FastifyRequest): IdeaName {
  const { idea_id } = request.params as { idea_id: string }
  return { projectId: adminPortalOf(request).projectId, ideaId: requireUuid(idea_id) }
}
