import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import type { Contact } from './contact-status.tsx'

export function unsubscribe(contact: Pick<Contact, 'id' | 'email'>): Promise<unknown> {
  return runChange({
    send: () =>
      request('POST /api/v1/admin/email/contacts/{contact_id}/unsubscribe', {
        params: { contact_id: contact.id },
      }),
    done: `Unsubscribed ${contact.email ?? 'the contact'}.`,
    refetch: [
      'GET /api/v1/admin/email/contacts',
      'GET /api/v1/admin/email/contacts/numbers',
      'GET /api/v1/admin/email/contacts/{contact_id}',
    ],
  })
}
