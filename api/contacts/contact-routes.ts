/** Contacts in the administration. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  ContactChange,
  ContactDetail,
  ContactItem,
  ContactNumbers,
  ContactPage,
  ContactQuery,
  NewContactByAdmin,
} from '#schemas/rest/email/contact-admin.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { clientIp } from '../http/client-address.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, fileReplies, replies } from '../http/route.ts'
import { requireNewsletter } from '../newsletters/require-newsletter.ts'
import type { ChangedBy } from './change-origin.ts'
import { listContacts } from './contact-list-store.ts'
import { contactView } from './contact-view.ts'
import { countContacts } from './count-contacts.ts'
import { createContact } from './create-contact.ts'
import { deleteContact } from './delete-contact.ts'
import { eraseContact } from './erase-contact.ts'
import { exportContacts } from './export-contacts.ts'
import { getContact } from './get-contact.ts'
import { selectContacts } from './select-contacts.ts'
import { unsubscribeContact } from './unsubscribe-contact.ts'
import { updateContact } from './update-contact.ts'

const tags = ['contacts']
const ContactPath = z.object({ contact_id: z.string() })
/** Fifty attributes of the greatest length, with several bytes a character. */
const bodyBytesMax = 512 * 1024
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerContacts(app: ApiInstance, ctx: ApiContext): void {
  registerReads(app, ctx)
  registerChanges(app, ctx)
}

function registerReads(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/contacts',
    schema: {
      tags,
      operationId: 'listContacts',
      summary: 'List contacts',
      description: 'Contacts of all newsletters of the organization, newest first.',
      querystring: ContactQuery,
      response: replies(ContactPage),
    },
    handler: async (request) => {
      const { limit, cursor, ...selection } = request.query
      const filter = await selectContacts(ctx, personOf(request).organizationId, selection)
      const beforeId = decodeCursor(cursor, z.tuple([CursorUuid]))?.[0]
      const rows = await listContacts(ctx.pg, filter, { beforeId, rowsMax: limit + 1 })
      const { items, next_cursor } = pageOfRows(rows, limit, ({ id }) => [id])
      return { items: items.map(contactView), next_cursor }
    },
  })

  app.route({
    method: 'GET',
    url: '/contacts/numbers',
    schema: {
      tags,
      operationId: 'getContactNumbers',
      summary: 'Count the contacts of a newsletter',
      description: 'By status, and signups, confirmations and unsubscribes of the last 30 days.',
      querystring: z.object({ newsletter: z.string().max(64).describe('Slug of the newsletter.') }),
      response: replies(ContactNumbers),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const slug = request.query.newsletter
      const newsletter = await requireNewsletter(ctx, { organizationId, slug })
      return await countContacts(ctx, { newsletterId: newsletter.id })
    },
  })

  app.route({
    method: 'GET',
    url: '/contacts/export',
    config: { role: 'member' },
    schema: {
      tags,
      operationId: 'exportContacts',
      summary: 'Export contacts as CSV',
      description: 'Newest first. `POST /imports` reads the same file. `attribs` is JSON.',
      querystring: ContactQuery.omit({ limit: true, cursor: true }),
      response: fileReplies('csv'),
    },
    handler: async (request, reply) => {
      const lines = await exportContacts(ctx, actorOf(request), request.query)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="contacts.csv"')
        .send(Readable.from(lines))
    },
  })

  app.route({
    method: 'GET',
    url: '/contacts/:contact_id',
    schema: {
      tags,
      operationId: 'getContact',
      summary: 'Get a contact with its events',
      params: ContactPath,
      response: replies(ContactDetail),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      return await getContact(ctx, { organizationId, contactId: request.params.contact_id })
    },
  })
}

function registerChanges(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'POST',
    url: '/contacts',
    bodyLimit: bodyBytesMax,
    schema: {
      tags,
      operationId: 'createContact',
      summary: 'Create a contact',
      description:
        '201 for a new contact. A contact that exists is changed as by another signup: 200. The rate limits of signups do not apply.',
      body: NewContactByAdmin,
      response: { ...errorReplies, 200: ContactItem, 201: ContactItem },
    },
    handler: async (request, reply) => {
      const input = { ...request.body, by: changedBy(request) }
      const { created, contact } = await createContact(ctx, actorOf(request), input)
      reply.code(created ? 201 : 200)
      return contact
    },
  })

  app.route({
    method: 'PATCH',
    url: '/contacts/:contact_id',
    bodyLimit: bodyBytesMax,
    schema: {
      tags,
      operationId: 'updateContact',
      summary: 'Update name and attributes of a contact',
      params: ContactPath,
      body: ContactChange,
      response: replies(ContactItem),
    },
    handler: (request) => {
      const { contact_id: contactId } = request.params
      const input = { contactId, change: request.body, by: changedBy(request) }
      return updateContact(ctx, actorOf(request), input)
    },
  })

  app.route({
    method: 'POST',
    url: '/contacts/:contact_id/unsubscribe',
    schema: {
      tags,
      operationId: 'unsubscribeContact',
      summary: 'Unsubscribe a contact',
      description: 'A contact that is not subscribed does not change.',
      params: ContactPath,
      response: replies(ContactItem),
    },
    handler: (request) => {
      const input = { contactId: request.params.contact_id, by: changedBy(request) }
      return unsubscribeContact(ctx, actorOf(request), input)
    },
  })

  app.route({
    method: 'DELETE',
    url: '/contacts/:contact_id',
    schema: {
      tags,
      operationId: 'deleteContact',
      summary: 'Delete a contact from its newsletter',
      description: 'Deletes its events as well. A suppression of the address stays.',
      params: ContactPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await deleteContact(ctx, actorOf(request), { contactId: request.params.contact_id })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'POST',
    url: '/contacts/:contact_id/erase',
    schema: {
      tags,
      operationId: 'eraseContact',
      summary: 'Erase the person behind a contact from the organization',
      description:
        'Deletes the contacts of all newsletters with this address, and everything stored with them. Of a suppressed or unsubscribed address a hash stays, so that no import adds it again.',
      params: ContactPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await eraseContact(ctx, actorOf(request), { contactId: request.params.contact_id })
      reply.code(204)
      return null
    },
  })
}

function changedBy(request: FastifyRequest): ChangedBy {
  return { name: personOf(request).name, ip: clientIp(request) }
}
