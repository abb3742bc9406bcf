/**
 * Receives a bounce message that a mail server pipes to the webhook. The recipient is found by our
 * own reference, in the envelope or in the returned email. The address in the report is used only
 * if there is no reference.
 */
import { findEmailRef } from '#schemas/mail/bounce-ref.ts'
import { parseMailReport } from './dsn-report.ts'
import {
  asList,
  eventOfKind,
  excerptOf,
  idOf,
  type WebhookEvent,
  type WebhookReading,
  type WebhookRequest,
} from './webhook-event.ts'

/** The recipient of an email of this organization, by a reference that a report quotes. */
export type AddressOfEmail = (reference: string) => Promise<string | undefined>

export async function receiveMessage(
  { body, nowMs }: WebhookRequest,
  addressOfEmail: AddressOfEmail,
): Promise<WebhookReading> {
  if (body.length === 0) return { kind: 'unreadable' }
  const report = parseMailReport(body.toString('utf8'))
  if (report.kind === 'none') return { kind: 'events', events: [] }
  const reference = report.references.find((text) => findEmailRef(text) !== undefined)
  const meant = reference === undefined ? undefined : await addressOfEmail(reference)
  const messageId = meant === undefined ? null : (reference ?? null)
  // Each of our emails has one recipient. A server that forwards it to several reports on each.
  const [only] = report.recipients
  const recipients = meant !== undefined && only !== undefined ? [only] : report.recipients
  const at = new Date(nowMs)
  const events = recipients.flatMap(({ email: named, kind, excerpt }): WebhookEvent[] => {
    const email = meant ?? named
    if (email === null) return []
    if (kind === 'delivered') return [{ kind: 'delivered', email, messageId, at }]
    const eventId = idOf(report.reportId, email)
    return asList(eventOfKind(kind, { email, eventId, messageId, at, excerpt: excerptOf(excerpt) }))
  })
  return { kind: 'events', events }
}
