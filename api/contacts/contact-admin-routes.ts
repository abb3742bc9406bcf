/** Contacts in the dashboard: looking through them, and what the log says of each. Changes are in contact-change-routes.ts. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import {
  ContactDetail,
  ContactNumbers,
  ContactPage,
  ContactQuery,
} from '#schemas/rest/email/contact-admin.ts'
import { addAudit } from '../audit/audit-store.ts'
import { actorOf, personOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import { CursorUuid, decodeCursor, pageOfRows } from '../http/cursor.ts'
import { type ApiInstance, fileReplies, found, replies, requireUuid } from '../http/route.ts'
import { findNewsletter, type StoredNewsletter } from '../newsletters/newsletter-store.ts'
import {
  countContacts,
  countContactsByDay,
  findListedContact,
  listContactEvents,
  listContacts,
} from './contact-lists.ts'
import { contactView } from './contact-view.ts'
import { exportContacts } from './export-contacts.ts'

const tags = ['contacts']
const eventsMax = 200
const daysShown = 30
const dayMs = 24 * 3_600_000
const ContactPath = z.object({ contact_id: z.string() })

export function registerContactAdmin(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/contacts',
    schema: {
      tags,
      summary: 'Contacts of the organization, the newest first',
      querystring: ContactQuery,
      response: replies(ContactPage),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const { newsletter: slug, status, query, limit, cursor } = request.query
      const newsletterId =
        slug === undefined ? undefined : (await namedNewsletter(ctx, { organizationId, slug })).id
      const beforeId = decodeCursor(cursor, z.tuple([CursorUuid]))?.[0]
      const filter = { organizationId, newsletterId, status, query: query || undefined }
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
      summary: 'How many contacts there are, and what happened each day of the last month',
      querystring: z.object({ newsletter: z.string().max(64) }),
      response: replies(ContactNumbers),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const slug = request.query.newsletter
      const { id: newsletterId } = await namedNewsletter(ctx, { organizationId, slug })
      const to = new Date(ctx.clock.nowMs())
      const from = new Date(to.getTime() - (daysShown - 1) * dayMs)
      from.setUTCHours(0, 0, 0, 0)
      const days = await countContactsByDay(ctx.pg, { newsletterId, from, to })
      const byStatus = { pending: 0, subscribed: 0, unsubscribed: 0, bounced: 0, complained: 0 }
      for (const { status, count } of await countContacts(ctx.pg, newsletterId)) {
        byStatus[status] = count
      }
      return { byStatus, days }
    },
  })

  app.route({
    method: 'GET',
    url: '/contacts/export',
    config: { role: 'member' },
    schema: {
      tags,
      summary: 'Contacts as a CSV file, the newest first',
      description: 'Import takes the same file. `attribs` is JSON.',
      querystring: ContactQuery.omit({ limit: true, cursor: true }),
      response: fileReplies('csv'),
    },
    handler: async (request, reply) => {
      const { organizationId } = personOf(request)
      const { newsletter: slug, status, query } = request.query
      const newsletterId =
        slug === undefined ? undefined : (await namedNewsletter(ctx, { organizationId, slug })).id
      await addAudit(ctx.pg, actorOf(request), {
        ...{ action: 'contact.exported', subjectType: 'newsletter' },
        details: { newsletter: slug ?? null, status: status ?? null },
      })
      const filter = { organizationId, newsletterId, status, query: query || undefined }
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="contacts.csv"')
        .send(Readable.from(exportContacts(ctx.pg, filter)))
    },
  })

  app.route({
    method: 'GET',
    url: '/contacts/:contact_id',
    schema: {
      tags,
      summary: 'A contact with everything that happened to it',
      params: ContactPath,
      response: replies(ContactDetail),
    },
    handler: async (request) => {
      const { organizationId } = personOf(request)
      const id = requireUuid(request.params.contact_id)
      const contact = found(await findListedContact(ctx.pg, { organizationId, id }))
      const events = await listContactEvents(ctx.pg, { contactId: id, rowsMax: eventsMax })
      const { signupIp, confirmedIp, confirmedUserAgent } = contact
      return {
        ...contactView(contact),
        ...{ signupIp, confirmedIp, confirmedUserAgent },
        events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
      }
    },
  })
}

export async function namedNewsletter(
  ctx: Pick<ApiContext, 'pg'>,
  named: { organizationId: string; slug: string },
): Promise<StoredNewsletter> {
  const newsletter = await findNewsletter(ctx.pg, named)
  if (newsletter === undefined) throw new CodedError('newsletter_not_found')
  return newsletter
}
