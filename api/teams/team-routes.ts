/** The teams of an organization. Every role sees them, owners manage them. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Problem } from '#schemas/rest/problem.ts'
import { Team, TeamBody, TeamChange, TeamList } from '#schemas/rest/team.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, replies, requireUuid } from '../http/route.ts'
import { joinTeam, leaveTeam } from './change-members.ts'
import { createTeam } from './create-team.ts'
import { deleteTeam } from './delete-team.ts'
import { listTeams } from './team-store.ts'
import { readTeam, teamItem } from './team-view.ts'
import { updateTeam } from './update-team.ts'

const tags = ['teams']
const Path = z.object({ team: z.string().max(64).describe('Its id or its slug.') })
const MemberPath = Path.extend({ person: z.string().describe('The id of a member.') })
const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }

export function registerTeams(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/teams',
    schema: {
      operationId: 'listTeams',
      tags,
      summary: 'List teams',
      description: 'By slug.',
      response: replies(TeamList),
    },
    handler: async (request) => {
      const rows = await listTeams(ctx.pg, personOf(request).organizationId)
      return { items: rows.map(teamItem), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: '/teams/:team',
    schema: {
      operationId: 'getTeam',
      tags,
      summary: 'Get a team with its members',
      params: Path,
      response: replies(Team),
    },
    handler: async (request) =>
      readTeam(ctx.pg, {
        organizationId: personOf(request).organizationId,
        named: request.params.team,
      }),
  })

  app.route({
    method: 'POST',
    url: '/teams',
    config: { role: 'owner' },
    schema: {
      operationId: 'createTeam',
      tags,
      summary: 'Create a team',
      body: TeamBody,
      response: { ...errorReplies, 201: Team },
    },
    handler: async (request, reply) => {
      const team = await createTeam(ctx, actorOf(request), request.body)
      reply.code(201)
      return team
    },
  })

  app.route({
    method: 'PATCH',
    url: '/teams/:team',
    config: { role: 'owner' },
    schema: {
      operationId: 'updateTeam',
      tags,
      summary: 'Update a team',
      description: 'Ownership rules and alert rules that name a former slug name nobody.',
      params: Path,
      body: TeamChange,
      response: { ...errorReplies, 200: Team },
    },
    handler: (request) =>
      updateTeam(ctx, actorOf(request), { named: request.params.team, change: request.body }),
  })

  app.route({
    method: 'DELETE',
    url: '/teams/:team',
    config: { role: 'owner' },
    schema: {
      operationId: 'deleteTeam',
      tags,
      summary: 'Delete a team',
      description: 'Its issues are assigned to nobody then, which their activity says.',
      params: Path,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteTeam(ctx, actorOf(request), { named: request.params.team })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'PUT',
    url: '/teams/:team/members/:person',
    config: { role: 'owner' },
    schema: {
      operationId: 'addTeamMember',
      tags,
      summary: 'Add a person to a team',
      params: MemberPath,
      response: { ...errorReplies, 200: Team },
    },
    handler: (request) => joinTeam(ctx, actorOf(request), membershipIn(request)),
  })

  app.route({
    method: 'DELETE',
    url: '/teams/:team/members/:person',
    config: { role: 'owner' },
    schema: {
      operationId: 'removeTeamMember',
      tags,
      summary: 'Remove a person from a team',
      params: MemberPath,
      response: { ...errorReplies, 200: Team },
    },
    handler: (request) => leaveTeam(ctx, actorOf(request), membershipIn(request)),
  })
}

function membershipIn(request: FastifyRequest) {
  const { team, person } = request.params as { team: string; person: string }
  return { team, person: requireUuid(person) }
}
