/** What people do to contacts by hand. Each change is in the contact's own log and in the organization's. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isBlockedBy, parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { AddedContact, ContactChange, ContactItem } from '#schemas/rest/email/contact-admin.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { clientIp } from '../http/client-address.ts'
import { type ApiInstance, found, replies, requireUuid } from '../http/route.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { ensureAddress, lockAddressById } from './address-store.ts'
import { findBlockedAbove } from './blocked-domains/blocked-domain-store.ts'
import { namedNewsletter } from './contact-admin-routes.ts'
import { deleteContact, findListedContact } from './contact-lists.ts'
import { addContactEvent, changeContact, findContact, type StoredContact } from './contact-store.ts'
import { contactView } from './contact-view.ts'
import { eraseContact } from './person-data-store.ts'
import { mergeAttribs } from './signup/plan-signup.ts'
import { composeWelcome } from './signup/send-welcome.ts'
import { storeSignup } from './signup/store-signup.ts'
import { unsubscribe } from './unsubscribe.ts'

const tags = ['contacts']
const ContactPath = z.object({ contact_id: z.string() })
const bodyBytesMax = 512 * 1024
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerContactChanges(app: ApiInstance, ctx: ApiContext): void {
  const now = () => new Date(ctx.clock.nowMs())
  const viewOf = async (pg: Database, contact: { organizationId: string; id: string }) =>
    contactView(found(await findListedContact(pg, contact)))

  app.route({
    method: 'POST',
    url: '/contacts',
    bodyLimit: bodyBytesMax,
    schema: {
      tags,
      summary: 'Add a contact by hand',
      description:
        'A known one is changed as by another signup: 200. Limits of signups do not count here.',
      body: AddedContact,
      response: { ...errorReplies, 200: ContactItem, 201: ContactItem },
    },
    handler: async (request, reply) => {
      const { organizationId, name: person } = personOf(request)
      const { body } = request
      const parsed = parseEmailAddress(body.email)
      if (parsed.kind === 'invalid') throw invalidField('email', parsed.rule)
      const { domain, email, key } = parsed
      const newsletter = await namedNewsletter(ctx, { organizationId, slug: body.newsletter })
      const blocked = await findBlockedAbove(ctx.pg, { organizationId, domain })
      if (isBlockedBy(domain, blocked)) throw new CodedError('blocked_domain')
      const welcome = await composeWelcome(ctx, newsletter)
      return ctx.pg.transaction(async (pg) => {
        const address = await ensureAddress(pg, { organizationId, email, key })
        const { id, plan } = await storeSignup(pg, ctx, {
          ...{ newsletter, address, welcome, now: now() },
          confirms: () => newsletter.confirmSignups && body.confirmed !== true,
          resubscribe: false,
          name: body.name ?? null,
          attribs: body.attribs ?? {},
          source: body.source ?? person,
          via: 'dashboard',
          ip: clientIp(request),
        })
        await audit(pg, request, 'contact.added', id)
        reply.code(plan.event === 'created' ? 201 : 200)
        return viewOf(pg, { organizationId, id })
      })
    },
  })

  app.route({
    method: 'PATCH',
    url: '/contacts/:contact_id',
    bodyLimit: bodyBytesMax,
    schema: {
      tags,
      summary: 'Change name and attributes',
      params: ContactPath,
      body: ContactChange,
      response: replies(ContactItem),
    },
    handler: async (request) => {
      const { body } = request
      return ctx.pg.transaction(async (pg) => {
        const contact = await lockedContact(pg, request, request.params.contact_id)
        const attribs = mergeAttribs(contact.attribs, body.attribs ?? {})
        // Left out, it stays; null or blank, it goes.
        const name = 'name' in body ? (body.name ?? null) : contact.name
        await changeContact(pg, { ...contact, name, attribs, now: now() })
        const details = { fields: Object.keys(body) }
        await noteContactEvent(pg, request, {
          contactId: contact.id,
          kind: 'changed',
          details,
          now: now(),
        })
        await audit(pg, request, 'contact.changed', contact.id, details)
        return viewOf(pg, contact)
      })
    },
  })

  app.route({
    method: 'POST',
    url: '/contacts/:contact_id/unsubscribe',
    schema: {
      tags,
      summary: 'Unsubscribe a contact, as it could itself',
      params: ContactPath,
      response: replies(ContactItem),
    },
    handler: async (request) =>
      ctx.pg.transaction(async (pg) => {
        const contact = await lockedContact(pg, request, request.params.contact_id)
        const by = {
          via: 'dashboard',
          ip: clientIp(request),
          source: personOf(request).name,
        } as const
        if (await unsubscribe(pg, { contactId: contact.id, ...by, now: now() })) {
          await audit(pg, request, 'contact.unsubscribed', contact.id)
        }
        return viewOf(pg, contact)
      }),
  })

  app.route({
    method: 'DELETE',
    url: '/contacts/:contact_id',
    schema: {
      tags,
      summary: 'Remove a contact from its newsletter',
      description: 'Its log goes with it. A suppression of the address stays.',
      params: ContactPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await ctx.pg.transaction(async (pg) => {
        const contact = await lockedContact(pg, request, request.params.contact_id)
        await deleteContact(pg, contact.id)
        await audit(pg, request, 'contact.removed', contact.id)
      })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'POST',
    url: '/contacts/:contact_id/erase',
    schema: {
      tags,
      summary: 'Erase the person behind a contact from the whole organization',
      description: 'Of a suppressed address a hash stays, so that no import brings it back.',
      params: ContactPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      await ctx.pg.transaction(async (pg) => {
        const contact = await lockedContact(pg, request, request.params.contact_id)
        await eraseContact(pg, contact)
        await audit(pg, request, 'contact.erased', contact.id)
      })
      reply.code(204)
      return null
    },
  })
}

async function lockedContact(
  pg: Database,
  request: FastifyRequest,
  contactId: string,
): Promise<StoredContact> {
  const id = requireUuid(contactId)
  const { organizationId } = personOf(request)
  const seen = await findContact(pg, id)
  if (seen?.organizationId !== organizationId) throw new CodedError('not_found')
  await lockAddressById(pg, seen.addressId)
  return found(await findContact(pg, id))
}

function noteContactEvent(
  pg: Database,
  request: FastifyRequest,
  event: { contactId: string; kind: string; details: object; now: Date },
): Promise<void> {
  const source = personOf(request).name
  return addContactEvent(pg, { ...event, via: 'dashboard', source, ip: clientIp(request) })
}

/** Names no address: the log outlives an erased person. */
function audit(
  pg: Database,
  request: FastifyRequest,
  action: `contact.${string}`,
  subjectId: string,
  details: object = {},
): Promise<void> {
  return addAudit(pg, actorOf(request), { action, subjectType: 'contact', subjectId, details })
}
