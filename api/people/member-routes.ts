/** The people of an organization. Every role sees them, owners manage them. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  Invitation,
  PersonChange,
  PersonItem,
  PersonList,
  PersonRemoval,
} from '#schemas/rest/person.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { type ApiInstance, found, nullReply, replies, requireUuid } from '../http/route.ts'
import { invitePerson } from './invite-person.ts'
import { findMember, type ListedPerson, listPeople } from './person-store.ts'
import { removePerson } from './remove-person.ts'
import { renewPersonLink } from './renew-person-link.ts'
import { updatePerson } from './update-person.ts'

const tags = ['people']
const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }

export function registerMembers(app: ApiInstance, ctx: ApiContext): void {
  const delivery = { kind: 'email', mail: ctx } as const

  app.route({
    method: 'GET',
    url: '/people',
    schema: {
      operationId: 'listPeople',
      tags,
      summary: 'List people',
      description: 'The people of the organization, ordered by email address.',
      response: replies(PersonList),
    },
    handler: async (request) => {
      const people = await listPeople(ctx.pg, personOf(request).organizationId)
      return { items: people.map(viewOf), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: '/people/:id',
    schema: {
      operationId: 'getPerson',
      tags,
      summary: 'Get a person',
      params: IdPath,
      response: replies(PersonItem),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      return viewOf(found(await findMember(ctx.pg, { organizationId, named: idOf(request) })))
    },
  })

  app.route({
    method: 'POST',
    url: '/people',
    config: { role: 'owner' },
    schema: {
      operationId: 'invitePerson',
      tags,
      summary: 'Invite a person',
      description: 'Sends an email with a link that works once, for seven days.',
      body: Invitation,
      response: { ...errorReplies, 201: PersonItem },
    },
    handler: async (request, reply) => {
      const { email, role, name = null } = request.body
      const input = { email, role, name, delivery }
      const { person } = await invitePerson(ctx, actorOf(request), input)
      reply.code(201)
      return viewOf(person)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/people/:id',
    config: { role: 'owner' },
    schema: {
      operationId: 'updatePerson',
      tags,
      summary: 'Update the role of a person',
      description: '409 `conflict` when the organization would have no owner left.',
      params: IdPath,
      body: PersonChange,
      response: { ...errorReplies, 200: PersonItem },
    },
    handler: async (request) => {
      const input = { personId: idOf(request), role: request.body.role }
      return viewOf(await updatePerson(ctx, actorOf(request), input))
    },
  })

  app.route({
    method: 'POST',
    url: '/people/:id/link',
    config: { role: 'owner' },
    schema: {
      operationId: 'sendPersonLink',
      tags,
      summary: 'Send an invitation again, or a link to choose another password',
      description:
        'Sends an email to the person; links sent earlier stop working. 409 `suppressed` when the mailbox was reported as nonexistent.',
      params: IdPath,
      response: { ...errorReplies, 202: nullReply },
    },
    handler: async (request, reply) => {
      await renewPersonLink(ctx, actorOf(request), { personId: idOf(request), delivery })
      reply.code(202)
      return null
    },
  })

  app.route({
    method: 'DELETE',
    url: '/people/:id',
    config: { role: 'owner' },
    schema: {
      operationId: 'removePerson',
      tags,
      summary: 'Remove a person from the organization',
      description:
        'Ends their logins in this organization. The access tokens and API keys that they created are revoked, or reassigned to the person who makes the request. A person who belongs to no other organization is deleted.',
      params: IdPath,
      querystring: PersonRemoval,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const { credentials } = request.query
      await removePerson(ctx, actorOf(request), { personId: idOf(request), credentials })
      reply.code(204)
      return null
    },
  })
}

function idOf(request: FastifyRequest): string {
  return requireUuid((request.params as { id: string }).id)
}

function viewOf({ last_seen_at, created_at, ...person }: ListedPerson): PersonItem {
  return {
    ...person,
    last_seen_at: last_seen_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
