import { createHmac } from 'node:crypto'
import type { z } from 'zod'
import type { BounceKind } from '#schemas/mail/bounce.ts'
import type { ResendSettings } from '#schemas/mail/bounce-adapter.ts'
import { classifyBounce } from '#schemas/mail/classify-bounce.ts'
import { isSame } from './same-secret.ts'
import {
  asList,
  eventOfKind,
  excerptOf,
  idOf,
  listOf,
  mailboxOf,
  part,
  readJson,
  textOf,
  timeOf,
  type WebhookEvent,
  type WebhookReading,
  type WebhookRequest,
} from './webhook-event.ts'

const toleranceMs = 5 * 60_000
/** Contains several signatures while a secret is being rotated. */
const signaturesMax = 10

export function receiveResend(
  request: WebhookRequest,
  { signingSecret }: z.infer<typeof ResendSettings>,
): WebhookReading {
  const {
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': signatures,
  } = request.headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    return { kind: 'forged' }
  }
  const key = Buffer.from(signingSecret.slice('whsec_'.length), 'base64')
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(request.body)
  const wanted = `v1,${hmac.digest('base64')}`
  const given = signatures.split(' ', signaturesMax)
  if (!given.some((signature) => isSame(signature, wanted))) return { kind: 'forged' }
  const ageMs = Math.abs(request.nowMs - Number(timestamp) * 1000)
  if (!(ageMs <= toleranceMs)) return { kind: 'forged' }
  const body = readJson(request.body)
  if (typeof body !== 'object' || body === null) return { kind: 'unreadable' }
  return { kind: 'events', events: readResend(body, { deliveryId: id, nowMs: request.nowMs }) }
}

export function readResend(
  body: unknown,
  { deliveryId, nowMs }: { deliveryId: string; nowMs: number },
): WebhookEvent[] {
  const data = part(body, 'data')
  const at = timeOf(part(body, 'created_at'), nowMs)
  const type = part(body, 'type')
  if (type === 'contact.updated') return unsubscribedContact(data, at)
  const messageId = textOf(part(data, 'message_id'))
  const kind = kindOfEvent(type, data)
  if (kind === undefined && type !== 'email.delivered') return []
  const said = excerptOf(
    part(data, 'bounce', 'subType'),
    part(data, 'bounce', 'message') ?? part(data, 'suppressed', 'message'),
  )
  return listOf(part(data, 'to')).flatMap((to): WebhookEvent[] => {
    const email = mailboxOf(to)
    if (email === null) return []
    if (kind === undefined) return [{ kind: 'delivered', email, messageId, at }]
    const eventId = idOf(deliveryId, email)
    return asList(eventOfKind(kind, { email, eventId, messageId, at, excerpt: said }))
  })
}

/** Resend passes on the bounce types of Amazon SES. */
function kindOfEvent(type: unknown, data: unknown): BounceKind | undefined {
  const bounce = part(data, 'bounce')
  switch (type) {
    case 'email.bounced':
      return classifyBounce({
        source: 'resend',
        type: part(bounce, 'type'),
        subtype: part(bounce, 'subType'),
        text: part(bounce, 'message'),
      })
    case 'email.complained':
      return classifyBounce({ source: 'resend', type: 'complaint' })
    case 'email.suppressed':
      return classifyBounce({ source: 'resend', type: 'suppressed' })
    default:
      return undefined
  }
}

function unsubscribedContact(data: unknown, at: Date): WebhookEvent[] {
  const email = mailboxOf(part(data, 'email'))
  if (email === null || part(data, 'unsubscribed') !== true) return []
  return [{ kind: 'unsubscribed', email, messageId: null, at }]
}
