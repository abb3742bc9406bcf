/** The events of a contact in words. */
import type { Reply } from '../../../http/request.ts'

export type ContactEvent = Reply<'GET /api/v1/admin/email/contacts/{contact_id}'>['events'][number]

const kinds: Readonly<Record<string, string>> = {
  created: 'Added',
  signed_up_again: 'Signed up again',
  confirmation_sent: 'Confirmation email sent',
  confirmed: 'Confirmed the address',
  welcome_sent: 'Welcome email sent',
  changed: 'Name or attributes changed',
  unsubscribed: 'Unsubscribed',
  unsubscribe_undone: 'Took the unsubscribe back',
  unsubscribe_reason: 'Gave a reason for unsubscribing',
  bounced: 'Bounced: no email is sent to this address',
  complained: 'Reported an email as spam',
  suppressed: 'Suppressed: no email is sent to this address',
  suppression_lifted: 'Suppression lifted',
  exported: 'Asked for the stored data',
}

const vias: Readonly<Record<string, string>> = {
  api: 'API',
  dashboard: 'dashboard',
  import: 'import',
  link: 'link in an email',
  one_click: 'unsubscribe button of the mailbox',
  command_line: 'command line',
}

export function describeEvent(event: Pick<ContactEvent, 'kind' | 'via' | 'details'>): {
  readonly title: string
  readonly via: string
  /** What was recorded with it, without null values. */
  readonly details: readonly string[]
} {
  return {
    title: kinds[event.kind] ?? sentence(event.kind),
    via: vias[event.via] ?? event.via.replaceAll('_', ' '),
    details: Object.entries(event.details).flatMap(([name, value]) =>
      value === null || value === undefined || value === ''
        ? []
        : [`${name.replaceAll('_', ' ')}: ${textOf(value)}`],
    ),
  }
}

function sentence(name: string): string {
  const words = name.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
