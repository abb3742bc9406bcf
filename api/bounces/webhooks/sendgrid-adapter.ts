import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { z } from 'zod'
import type { SendgridSettings } from '#schemas/mail/bounce-adapter.ts'
import { classifyBounce } from '#schemas/mail/classify-bounce.ts'
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

export function receiveSendgrid(
  request: WebhookRequest,
  { publicKey }: z.infer<typeof SendgridSettings>,
): WebhookReading {
  const signature = request.headers['x-twilio-email-event-webhook-signature']
  const timestamp = request.headers['x-twilio-email-event-webhook-timestamp']
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return { kind: 'forged' }
  const key = parseSendgridKey(publicKey)
  const signed = Buffer.concat([Buffer.from(timestamp), request.body])
  if (key === undefined || !verify('sha256', signed, key, Buffer.from(signature, 'base64'))) {
    return { kind: 'forged' }
  }
  const body = readJson(request.body)
  if (!Array.isArray(body)) return { kind: 'unreadable' }
  const events = body.flatMap((event) => readSendgrid(event, request.nowMs) ?? [])
  return { kind: 'events', events }
}

/** Undefined: not a public key on the curve P-256. */
export function parseSendgridKey(base64: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

/** `deferred` is a retry and no bounce. */
export function readSendgrid(event: unknown, nowMs: number): WebhookEvent | undefined {
  const email = textOf(part(event, 'email'))
  if (email === null) return undefined
  const messageId = textOf(part(event, 'smtp-id'))
  const at = timeOf(part(event, 'timestamp'), nowMs)
  const eventId = idOf(part(event, 'sg_event_id'))
  const [status, text] = [part(event, 'status'), part(event, 'reason')]
  const report = { email, messageId, at, eventId, excerpt: excerptOf(status, text) }
  const name = part(event, 'event')
  switch (name) {
    case 'delivered':
      return { kind: 'delivered', email, messageId, at }
    case 'bounce': {
      const type = part(event, 'type') === 'blocked' ? 'blocked' : 'bounce'
      const subtype = part(event, 'bounce_classification')
      const kind = classifyBounce({ source: 'sendgrid', type, subtype, status, text })
      return eventOfKind(kind, report)
    }
    case 'spamreport':
    case 'dropped':
    case 'unsubscribe':
    case 'group_unsubscribe':
      return eventOfKind(classifyBounce({ source: 'sendgrid', type: name }), report)
    default:
      return undefined
  }
}
