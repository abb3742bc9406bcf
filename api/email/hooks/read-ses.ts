/** Events of Amazon SES, as the `Message` of an SNS notification holds them. */
import { excerptOf, type HookEvent, idOf, listOf, part, textOf, timeOf } from './hook-event.ts'

export function readSes(message: unknown, nowMs: number): HookEvent[] {
  switch (part(message, 'notificationType') ?? part(message, 'eventType')) {
    case 'Bounce':
      return readBounce(message, nowMs)
    case 'Complaint':
      return readComplaint(message, nowMs)
    case 'Delivery':
      return readDelivery(message, nowMs)
    default:
      return []
  }
}

/** Only the recipients that bounced: `mail.destination` names all of the letter. */
function readBounce(message: unknown, nowMs: number): HookEvent[] {
  const bounce = part(message, 'bounce')
  return listOf(part(bounce, 'bouncedRecipients')).flatMap((recipient): HookEvent[] => {
    const email = addressOf(part(recipient, 'emailAddress'))
    if (email === null) return []
    const status = part(recipient, 'status')
    // 5.4.4: the domain takes no mail; SES calls it passing at times.
    const isHard = part(bounce, 'bounceType') === 'Permanent' || status === '5.4.4'
    return [
      {
        kind: 'bounce',
        email,
        type: isHard ? 'hard' : 'soft',
        counts: true,
        eventId: idOf(part(bounce, 'feedbackId'), email),
        messageId: messageIdOf(message),
        at: timeOf(part(bounce, 'timestamp'), nowMs),
        excerpt: excerptOf(
          part(bounce, 'bounceSubType'),
          status,
          part(recipient, 'diagnosticCode'),
        ),
      },
    ]
  })
}

function readComplaint(message: unknown, nowMs: number): HookEvent[] {
  const complaint = part(message, 'complaint')
  // A reader took the letter out of the spam folder.
  if (part(complaint, 'complaintFeedbackType') === 'not-spam') return []
  return listOf(part(complaint, 'complainedRecipients')).flatMap((recipient): HookEvent[] => {
    const email = addressOf(part(recipient, 'emailAddress'))
    if (email === null) return []
    return [
      {
        kind: 'bounce',
        email,
        type: 'complaint',
        counts: true,
        eventId: idOf(part(complaint, 'feedbackId'), email),
        messageId: messageIdOf(message),
        at: timeOf(part(complaint, 'timestamp'), nowMs),
        excerpt: excerptOf(part(complaint, 'complaintFeedbackType')),
      },
    ]
  })
}

function readDelivery(message: unknown, nowMs: number): HookEvent[] {
  const at = timeOf(part(message, 'delivery', 'timestamp'), nowMs)
  const messageId = messageIdOf(message)
  return listOf(part(message, 'delivery', 'recipients')).flatMap((recipient): HookEvent[] => {
    const email = addressOf(recipient)
    return email === null ? [] : [{ kind: 'delivered', email, messageId, at }]
  })
}

/** Ours stands among the headers, when SES was told to send them; `mail.messageId` is Amazon's own. */
function messageIdOf(message: unknown): string | null {
  const header = listOf(part(message, 'mail', 'headers')).find(
    (entry) => String(part(entry, 'name')).toLowerCase() === 'message-id',
  )
  return textOf(part(header, 'value') ?? part(message, 'mail', 'commonHeaders', 'messageId'))
}

/** Sometimes with a name, as in `Ada <ada@example.com>`. */
function addressOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return /<([^<>]+)>\s*$/.exec(value)?.[1] ?? value
}
