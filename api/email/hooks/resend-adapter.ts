import { createHmac } from 'node:crypto'
import type { z } from 'zod'
import type { ResendSettings } from '#schemas/mail/bounce-adapter.ts'
import {
  excerptOf,
  type HookEvent,
  type HookReading,
  type HookRequest,
  idOf,
  listOf,
  part,
  readJson,
  textOf,
  timeOf,
} from './hook-event.ts'
import { isSame } from './same-secret.ts'

const toleranceMs = 5 * 60_000
/** Several while a secret is being rotated. */
const signaturesMax = 10

export function receiveResend(
  request: HookRequest,
  { signingSecret }: z.infer<typeof ResendSettings>,
): HookReading {
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
): HookEvent[] {
  const data = part(body, 'data')
  const messageId = textOf(part(data, 'message_id'))
  const at = timeOf(part(body, 'created_at'), nowMs)
  const type = part(body, 'type')
  const bounce = part(data, 'bounce')
  const isHard = part(bounce, 'type') === 'Permanent'
  return listOf(part(data, 'to')).flatMap((to): HookEvent[] => {
    if (typeof to !== 'string') return []
    const email = /<([^<>]+)>\s*$/.exec(to)?.[1] ?? to
    const report = {
      kind: 'bounce',
      email,
      counts: true,
      messageId,
      at,
      eventId: idOf(deliveryId, email),
      excerpt: excerptOf(part(bounce, 'subType'), part(bounce, 'message')),
    } as const
    switch (type) {
      case 'email.bounced':
        return [{ ...report, type: isHard ? 'hard' : 'soft' }]
      case 'email.complained':
        return [{ ...report, type: 'complaint' }]
      case 'email.delivered':
        return [{ kind: 'delivered', email, messageId, at }]
      default:
        return []
    }
  })
}
