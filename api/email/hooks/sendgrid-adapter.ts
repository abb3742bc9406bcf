import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { z } from 'zod'
import type { SendgridSettings } from '#schemas/mail/bounce-adapter.ts'
import {
  excerptOf,
  type HookEvent,
  type HookReading,
  type HookRequest,
  idOf,
  part,
  readJson,
  textOf,
  timeOf,
} from './hook-event.ts'

export function receiveSendgrid(
  request: HookRequest,
  { publicKey }: z.infer<typeof SendgridSettings>,
): HookReading {
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

/** `deferred` is a retry and `dropped` repeats old news: neither is a bounce. */
export function readSendgrid(event: unknown, nowMs: number): HookEvent | undefined {
  const email = textOf(part(event, 'email'))
  if (email === null) return undefined
  const messageId = textOf(part(event, 'smtp-id'))
  const at = timeOf(part(event, 'timestamp'), nowMs)
  const eventId = idOf(part(event, 'sg_event_id'))
  const excerpt = excerptOf(part(event, 'status'), part(event, 'reason'))
  const bounce = { kind: 'bounce', email, messageId, at, eventId, excerpt } as const
  switch (part(event, 'event')) {
    case 'delivered':
      return { kind: 'delivered', email, messageId, at }
    case 'spamreport':
      return { ...bounce, type: 'complaint', counts: true }
    case 'bounce':
      if (part(event, 'type') !== 'blocked') return { ...bounce, type: 'hard', counts: true }
      return { ...bounce, type: 'soft', counts: isMailboxStatus(part(event, 'status')) }
    default:
      return undefined
  }
}

/** Of blocked letters only what may be the mailbox's fault; the rest is about us. */
function isMailboxStatus(status: unknown): boolean {
  return typeof status === 'string' && (/^4\.\d/.test(status) || status === '5.2.2')
}
