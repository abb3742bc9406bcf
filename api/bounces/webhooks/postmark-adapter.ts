import type { z } from 'zod'
import type { PostmarkSettings } from '#schemas/mail/bounce-adapter.ts'
import { classifyBounce } from '#schemas/mail/classify-bounce.ts'
import { isSame } from './same-secret.ts'
import {
  eventOfKind,
  excerptOf,
  idOf,
  part,
  readJson,
  textOf,
  timeOf,
  type WebhookEvent,
  type WebhookReading,
  type WebhookRequest,
} from './webhook-event.ts'

/** Postmark does not sign payloads: the password in its URL is the only proof. */
export function receivePostmark(
  request: WebhookRequest,
  { username, password }: z.infer<typeof PostmarkSettings>,
): WebhookReading {
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  if (!isSame(request.headers.authorization ?? '', wanted)) return { kind: 'forged' }
  const body = readJson(request.body)
  if (typeof body !== 'object' || body === null) return { kind: 'unreadable' }
  const event = readPostmark(body, request.nowMs)
  return { kind: 'events', events: event === undefined ? [] : [event] }
}

/** Undefined: a `RecordType` that is not about delivery. */
export function readPostmark(body: unknown, nowMs: number): WebhookEvent | undefined {
  // Postmark's MessageID is its own id, not the Message-ID header.
  const messageId = null
  switch (part(body, 'RecordType')) {
    case 'Delivery': {
      const email = textOf(part(body, 'Recipient'))
      const at = timeOf(part(body, 'DeliveredAt'), nowMs)
      return email === null ? undefined : { kind: 'delivered', email, messageId, at }
    }
    case 'SpamComplaint':
      return readReport(body, 'SpamComplaint', nowMs)
    case 'Bounce':
      return readReport(body, part(body, 'Type'), nowMs)
    case 'SubscriptionChange':
      return readSubscriptionChange(body, nowMs)
    default:
      return undefined
  }
}

function readReport(body: unknown, type: unknown, nowMs: number): WebhookEvent | undefined {
  const email = textOf(part(body, 'Email'))
  if (email === null) return undefined
  const details = part(body, 'Details')
  const text = textOf(details) ?? part(body, 'Description')
  // Postmark describes its own type in `Description`; only `Details` are words of the server.
  const kind = classifyBounce({ source: 'postmark', type, text: details })
  return eventOfKind(kind, {
    email,
    eventId: idOf(part(body, 'ID')),
    messageId: null,
    at: timeOf(part(body, 'BouncedAt'), nowMs),
    excerpt: excerptOf(type, text),
  })
}

/**
 * The address was added to a stream's suppression list. Bounces and complaints have events of their
 * own, so this one only tells that a recipient unsubscribed. An entry that the customer or Postmark
 * added by hand is recorded without effect.
 */
function readSubscriptionChange(body: unknown, nowMs: number): WebhookEvent | undefined {
  const email = textOf(part(body, 'Recipient'))
  if (email === null || part(body, 'SuppressSending') !== true) return undefined
  const reason = part(body, 'SuppressionReason')
  if (reason !== 'ManualSuppression') return undefined
  const isOwnWish = part(body, 'Origin') === 'Recipient'
  const at = timeOf(part(body, 'ChangedAt'), nowMs)
  const type = isOwnWish ? 'Unsubscribe' : 'ManualSuppression'
  const report = { email, eventId: idOf(reason, email, at.toISOString()), messageId: null, at }
  const kind = classifyBounce({ source: 'postmark', type })
  return eventOfKind(kind, { ...report, excerpt: excerptOf(reason, part(body, 'Origin')) })
}
