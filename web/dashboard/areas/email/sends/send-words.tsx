import { Badge, type Tone } from '../../../design/content/badge.tsx'
import type { Item } from '../../../http/use-pages.ts'

export type Send = Item<'GET /api/v1/admin/email/sends'>

export const sendStatuses: Readonly<Record<Send['status'], string>> = {
  queued: 'Queued',
  sending: 'Sending',
  sent: 'Sent',
  failed: 'Failed',
  skipped: 'Skipped',
  uncertain: 'Uncertain',
  cancelled: 'Cancelled',
}

const tones: Readonly<Record<Send['status'], Tone>> = {
  queued: 'info',
  sending: 'info',
  sent: 'success',
  failed: 'danger',
  skipped: 'neutral',
  uncertain: 'warning',
  cancelled: 'neutral',
}

export const sendMeanings: Readonly<Record<Send['status'], string>> = {
  queued: 'Waiting for its next attempt.',
  sending: 'A mailer is sending it now.',
  sent: 'The mail server accepted it.',
  failed: 'The mail server refused it permanently, or deferred it for a day.',
  skipped: 'Not sent, because the address was suppressed, unsubscribed or erased.',
  uncertain:
    'The connection broke after the email was handed over. It may have been sent; it is not sent again.',
  cancelled: 'Cancelled before its turn.',
}

export const sendKinds: Readonly<Record<Send['kind'], string>> = {
  transactional: 'Transactional',
  confirmation: 'Confirmation',
  welcome: 'Welcome',
  notice: 'Notification',
  test: 'Test',
  system: 'System',
}

export function SendStatus({ status }: { readonly status: Send['status'] }) {
  return (
    <Badge tone={tones[status]} title={sendMeanings[status]}>
      {sendStatuses[status]}
    </Badge>
  )
}
