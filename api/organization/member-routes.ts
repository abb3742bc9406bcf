/** Who belongs to the organization. Everybody sees it, owners decide. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
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
import type { Database } from '../database.ts'
import { type ApiInstance, found, nullReply, replies, requireUuid } from '../http/route.ts'
import { changeRole, invitePerson, removePerson, renewLink } from '../people/change-members.ts'
import { sendPersonEmail } from '../people/person-emails.ts'
import { findMember, type ListedPerson, listPeople } from '../people/person-store.ts'

const tags = ['organization']
const IdPath = z.object({ id: z.string() })
const { 200: _ok, ...errorReplies } = { ...replies(Problem), 409: Problem }
const undeliverable =
  'Emails to this person are returned as undeliverable. Lift the suppression of the address, or create the link on the command line: npm run admin -- person reset.'

export function registerMembers(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/people',
    schema: { tags, summary: 'The people, by address', response: replies(PersonList) },
    handler: async (request) => {
      const people = await listPeople(ctx.pg, personOf(request).organizationId)
      return { items: people.map(viewOf), next_cursor: null }
    },
  })

  app.route({
    method: 'GET',
    url: '/people/:id',
    schema: { tags, summary: 'One person', params: IdPath, response: replies(PersonItem) },
    handler: async (request) => viewOf(await memberOf(request, ctx.pg)),
  })

  app.route({
    method: 'POST',
    url: '/people',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Invite a person',
      description: 'A letter goes out with a link that works once, for seven days.',
      body: Invitation,
      response: { ...errorReplies, 201: PersonItem },
    },
    handler: async (request, reply) => {
      const { organizationId } = personOf(request)
      const { email, role, name } = request.body
      const person = await ctx.pg.transaction(async (client) => {
        const invited = { email, role, name: name ?? null }
        const { personId, link } = await invitePerson(client, actorOf(request), invited, ctx)
        await sendPersonEmail(client, { person: { email }, organizationId, link }, ctx)
        return findMember(client, { organizationId, named: personId })
      })
      reply.code(201)
      return viewOf(found(person))
    },
  })

  app.route({
    method: 'PATCH',
    url: '/people/:id',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Change a person’s role',
      description: 'The last owner stays one.',
      params: IdPath,
      body: PersonChange,
      response: { ...errorReplies, 200: PersonItem },
    },
    handler: async (request) => {
      const { role } = request.body
      const changed = await ctx.pg.transaction(async (client) => {
        const person = await memberOf(request, client)
        await changeRole(client, actorOf(request), { person, role })
        return memberOf(request, client)
      })
      return viewOf(changed)
    },
  })

  app.route({
    method: 'POST',
    url: '/people/:id/link',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Send the invitation again, or a link to choose another password',
      description:
        'It goes to the person’s address; links sent before stop working. 409 `suppressed` when the mailbox was reported as nonexistent.',
      params: IdPath,
      response: { ...errorReplies, 202: nullReply },
    },
    handler: async (request, reply) => {
      await ctx.pg.transaction(async (client) => {
        const { organizationId } = personOf(request)
        const person = await memberOf(request, client)
        const link = await renewLink(client, actorOf(request), person.id, ctx)
        const sent = await sendPersonEmail(client, { person, organizationId, link }, ctx)
        if (sent === 'undeliverable') throw new CodedError('suppressed', { message: undeliverable })
      })
      reply.code(202)
      return null
    },
  })

  app.route({
    method: 'DELETE',
    url: '/people/:id',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Remove a person from the organization',
      description:
        'Their logins here end at once, and the access tokens and API keys that they created are revoked, or reassigned to whoever removes them. Who belongs to no other organization is deleted.',
      params: IdPath,
      querystring: PersonRemoval,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await ctx.pg.transaction(async (client) =>
        removePerson(client, actorOf(request), {
          person: await memberOf(request, client),
          credentials: request.query.credentials,
          now: new Date(ctx.clock.nowMs()),
        }),
      )
      reply.code(204)
      return null
    },
  })
}

async function memberOf(request: FastifyRequest, pg: Database): Promise<ListedPerson> {
  const named = requireUuid((request.params as { id: string }).id)
  return found(await findMember(pg, { organizationId: personOf(request).organizationId, named }))
}

function viewOf({ last_seen_at, created_at, ...person }: ListedPerson): PersonItem {
  return {
    ...person,
    last_seen_at: last_seen_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
