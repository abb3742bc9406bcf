/** Saved views of a project, below `/views`. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Problem } from '#schemas/rest/problem.ts'
import {
  NewSavedView,
  SavedView,
  SavedViewChange,
  SavedViewList,
} from '#schemas/rest/saved-view.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  callerOf,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { createView } from './create-view.ts'
import { deleteView } from './delete-view.ts'
import { updateView } from './update-view.ts'
import { viewOf } from './view-of.ts'
import { listViews, type Viewer } from './view-store.ts'

const tags = ['views']
const ViewPath = ProjectPath.extend({ view_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerViews(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/views',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listViews',
      tags,
      summary: 'List saved views',
      description: 'The shared ones, and those of the person who asks.',
      params: ProjectPath,
      response: replies(SavedViewList),
    },
    handler: async (request) => ({
      items: (await listViews(ctx.pg, viewerOf(request))).map(viewOf),
      next_cursor: null,
    }),
  })

  app.route({
    method: 'POST',
    url: '/views',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'createView',
      tags,
      summary: 'Save a view',
      description: 'At most 100 shared ones in a project, and 100 of each person.',
      params: ProjectPath,
      body: NewSavedView,
      response: { ...errorReplies, 201: SavedView, 409: Problem },
    },
    handler: async (request, reply) => {
      const input = { viewer: viewerOf(request), view: request.body }
      const view = await createView(ctx, actorOf(request), input)
      reply.code(201)
      return viewOf(view)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/views/:view_id',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'updateView',
      tags,
      summary: 'Update a saved view',
      description:
        'A field that is left out keeps its value. Everybody who may write changes shared views.',
      params: ViewPath,
      body: SavedViewChange,
      response: { ...replies(SavedView), 409: Problem },
    },
    handler: async (request) => {
      const id = requireUuid(request.params.view_id)
      const input = { viewer: viewerOf(request), id, change: request.body }
      return viewOf(await updateView(ctx, actorOf(request), input))
    },
  })

  app.route({
    method: 'DELETE',
    url: '/views/:view_id',
    config: { scope: 'issues:write' },
    schema: {
      operationId: 'deleteView',
      tags,
      summary: 'Delete a saved view',
      params: ViewPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const id = requireUuid(request.params.view_id)
      await deleteView(ctx, actorOf(request), { viewer: viewerOf(request), id })
      reply.code(204)
      return null
    },
  })
}

function viewerOf(request: FastifyRequest): Viewer {
  const { type, id } = callerOf(request)
  return { projectId: projectOf(request).dsnId, personId: type === 'person' ? id : null }
}
