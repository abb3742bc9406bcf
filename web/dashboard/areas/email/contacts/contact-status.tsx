import { Badge, type Tone } from '../../../design/content/badge.tsx'
import type { Reply } from '../../../http/request.ts'
import type { Item } from '../../../http/use-pages.ts'

export type Contact = Item<'GET /api/v1/admin/email/contacts'>
export type ContactDetail = Reply<'GET /api/v1/admin/email/contacts/{contact_id}'>
export type ContactStatus = Contact['status']

export const contactStatuses: Readonly<Record<ContactStatus, string>> = {
  subscribed: 'Subscribed',
  pending: 'Pending',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
  complained: 'Complained',
}

const tones: Readonly<Record<ContactStatus, Tone>> = {
  subscribed: 'success',
  pending: 'info',
  unsubscribed: 'neutral',
  bounced: 'warning',
  complained: 'danger',
}

const meanings: Readonly<Record<ContactStatus, string>> = {
  subscribed: 'Gets the campaigns of this newsletter.',
  pending: 'Has not confirmed the address yet and gets no campaigns.',
  unsubscribed: 'Has unsubscribed and gets no campaigns.',
  bounced: 'The mailbox does not accept emails. No email is sent to it.',
  complained: 'Reported an email as spam. No email is sent to this address.',
}

export function ContactStatusBadge({ status }: { readonly status: ContactStatus }) {
  return (
    <Badge tone={tones[status]} title={meanings[status]}>
      {contactStatuses[status]}
    </Badge>
  )
}
