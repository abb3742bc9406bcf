import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { MailgunSettings } from '#schemas/mail/bounce-adapter.ts'
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
  type WebhookReport,
  type WebhookRequest,
} from './webhook-event.ts'

const MailgunBody = z.object({
  signature: z.object({
    timestamp: z.coerce.string().max(20),
    token: z.string().min(1).max(200),
    signature: z.string().max(200),
  }),
  'event-data': z.looseObject({}),
})

export const mailgunToleranceMs = 5 * 60_000

/**
 * Whether the token is unused. It is stored only after the events are recorded, so that a failed
 * request can be retried.
 */
export type IsNewToken = (token: string) => Promise<boolean>

export async function receiveMailgun(
  request: WebhookRequest,
  { signingKey }: z.infer<typeof MailgunSettings>,
  isNewToken: IsNewToken,
): Promise<WebhookReading> {
  const parsed = MailgunBody.safeParse(readJson(request.body))
  if (!parsed.success) return { kind: 'unreadable' }
  const { timestamp, token, signature } = parsed.data.signature
  const wanted = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex')
  if (!isSame(signature, wanted)) return { kind: 'forged' }
  // The signature does not cover the content, so an old one could be reused for any payload.
  const ageMs = Math.abs(request.nowMs - Number(timestamp) * 1000)
  if (!(ageMs <= mailgunToleranceMs)) return { kind: 'forged' }
  if (!(await isNewToken(token))) return { kind: 'forged' }
  const event = readMailgun(parsed.data['event-data'], request.nowMs)
  return { kind: 'events', events: event === undefined ? [] : [event], token }
}

export function readMailgun(data: unknown, nowMs: number): WebhookEvent | undefined {
  const email = textOf(part(data, 'recipient'))
  if (email === null) return undefined
  const messageId = textOf(part(data, 'message', 'headers', 'message-id'))
  const at = timeOf(part(data, 'timestamp'), nowMs)
  const id = idOf(part(data, 'id'))
  const event = part(data, 'event')
  const report = { email, messageId, at, eventId: id, excerpt: null }
  switch (event) {
    case 'delivered':
      return { kind: 'delivered', email, messageId, at }
    case 'complained':
    case 'unsubscribed':
      return eventOfKind(classifyBounce({ source: 'mailgun', type: event }), report)
    case 'rejected': {
      const text = part(data, 'reject', 'reason')
      const kind = classifyBounce({ source: 'mailgun', type: event, text })
      return eventOfKind(kind, { ...report, excerpt: excerptOf(text) })
    }
    case 'failed':
      return failedEvent(data, report)
    default:
      return undefined
  }
}

function failedEvent(data: unknown, report: WebhookReport): WebhookEvent | undefined {
  const reason = part(data, 'reason')
  const severity = part(data, 'severity')
  const status = part(data, 'delivery-status')
  const said = [part(status, 'message'), part(status, 'description')].filter(
    (text) => typeof text === 'string' && text !== '',
  )
  const code = part(status, 'code')
  const kind = classifyBounce({
    source: 'mailgun',
    type: severity,
    subtype: reason,
    code,
    status: part(status, 'enhanced-code'),
    text: said.join(' '),
  })
  const { messageId, email } = report
  // Each try of one email is an event of its own; together they are one bounce.
  const isTry = severity !== 'permanent' && messageId !== null
  return eventOfKind(kind, {
    ...report,
    eventId: isTry
      ? idOf(kind === 'transient' ? 'try of' : kind, messageId, email)
      : report.eventId,
    excerpt: excerptOf(reason, code, ...said),
  })
}
