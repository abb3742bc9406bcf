/** Events of Amazon SES, as the `Message` of an SNS notification holds them. */
import { classifyBounce } from '#schemas/mail/classify-bounce.ts'
import {
  asList,
  eventOfKind,
  excerptOf,
  idOf,
  listOf,
  mailboxOf,
  part,
  textOf,
  timeOf,
  type WebhookEvent,
} from './webhook-event.ts'

export function readSes(message: unknown, nowMs: number): WebhookEvent[] {
  switch (part(message, 'notificationType') ?? part(message, 'eventType')) {
    case 'Bounce':
      return readBounce(message, nowMs)
    case 'Complaint':
      return readComplaint(message, nowMs)
    case 'Delivery':
      return readDelivery(message, nowMs)
    case 'Subscription':
      return readSubscription(message, nowMs)
    default:
      return []
  }
}

/** Only the recipients that bounced: `mail.destination` names all of the email. */
function readBounce(message: unknown, nowMs: number): WebhookEvent[] {
  const bounce = part(message, 'bounce')
  const [type, subtype] = [part(bounce, 'bounceType'), part(bounce, 'bounceSubType')]
  return listOf(part(bounce, 'bouncedRecipients')).flatMap((recipient): WebhookEvent[] => {
    const email = mailboxOf(part(recipient, 'emailAddress'))
    if (email === null) return []
    const [status, text] = [part(recipient, 'status'), part(recipient, 'diagnosticCode')]
    const kind = classifyBounce({ source: 'ses', type, subtype, status, text })
    const report = {
      email,
      eventId: idOf(part(bounce, 'feedbackId'), email),
      messageId: messageIdOf(message),
      at: timeOf(part(bounce, 'timestamp'), nowMs),
      excerpt: excerptOf(subtype, status, text),
    }
    return asList(eventOfKind(kind, report))
  })
}

function readComplaint(message: unknown, nowMs: number): WebhookEvent[] {
  const complaint = part(message, 'complaint')
  const feedback = part(complaint, 'complaintFeedbackType')
  // Set when SES sent nothing, because the address is on the suppression list of the account.
  const list = part(complaint, 'complaintSubType')
  const subtype = textOf(list) ?? feedback
  const kind = classifyBounce({ source: 'ses', type: 'complaint', subtype })
  return listOf(part(complaint, 'complainedRecipients')).flatMap((recipient): WebhookEvent[] => {
    const email = mailboxOf(part(recipient, 'emailAddress'))
    if (email === null) return []
    const report = {
      email,
      eventId: idOf(part(complaint, 'feedbackId'), email),
      messageId: messageIdOf(message),
      at: timeOf(part(complaint, 'timestamp'), nowMs),
      excerpt: excerptOf(subtype),
    }
    return asList(eventOfKind(kind, report))
  })
}

/** The recipient used the unsubscribe link of SES's own list management. */
function readSubscription(message: unknown, nowMs: number): WebhookEvent[] {
  const subscription = part(message, 'subscription')
  if (part(subscription, 'newTopicPreferences', 'unsubscribeAll') !== true) return []
  const at = timeOf(part(subscription, 'timestamp'), nowMs)
  return listOf(part(message, 'mail', 'destination')).flatMap((recipient): WebhookEvent[] => {
    const email = mailboxOf(recipient)
    return email === null
      ? []
      : [{ kind: 'unsubscribed', email, messageId: messageIdOf(message), at }]
  })
}

function readDelivery(message: unknown, nowMs: number): WebhookEvent[] {
  const at = timeOf(part(message, 'delivery', 'timestamp'), nowMs)
  const messageId = messageIdOf(message)
  return listOf(part(message, 'delivery', 'recipients')).flatMap((recipient): WebhookEvent[] => {
    const email = mailboxOf(recipient)
    return email === null ? [] : [{ kind: 'delivered', email, messageId, at }]
  })
}

/**
 * The Message-ID of the email is among the headers if SES is configured to send them;
 * `mail.messageId` is Amazon's own.
 */
function messageIdOf(message: unknown): string | null {
  const header = listOf(part(message, 'mail', 'headers')).find(
    (entry) => textOf(part(entry, 'name'))?.toLowerCase() === 'message-id',
  )
  return textOf(part(header, 'value') ?? part(message, 'mail', 'commonHeaders', 'messageId'))
}
