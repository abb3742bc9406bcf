import { z } from 'zod'
import { ContactEmailPage, ContactEmailQuery } from '#schemas/rest/email/contact-email.ts'
import { personOf } from '../../auth/people-gate.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies } from '../../http/route.ts'
import { listContactEmails } from './list-contact-emails.ts'

export function registerContactEmails(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/contacts/:contact_id/emails',
    schema: {
      tags: ['contacts'],
      operationId: 'listContactEmails',
      summary: 'List the emails to a contact',
      description:
        'Campaigns of all newsletters and single emails to the address of the contact, newest first, until they are deleted 90 days after they ended.',
      params: z.object({ contact_id: z.string() }),
      querystring: ContactEmailQuery,
      response: replies(ContactEmailPage),
    },
    handler: (request) => {
      const asked = { ...request.query, contactId: request.params.contact_id }
      return listContactEmails(ctx, personOf(request), asked)
    },
  })
}
