import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { MailgunSettings } from '#schemas/mail/bounce-adapter.ts'
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
import { isSame } from './same-secret.ts'

const MailgunBody = z.object({
  signature: z.object({
    timestamp: z.coerce.string().max(20),
    token: z.string().min(1).max(200),
    signature: z.string().max(200),
  }),
  'event-data': z.looseObject({}),
})

export const mailgunToleranceMs = 5 * 60_000

/** Whether the token was never seen before. It is spent when the events are recorded, so that a try that failed can be repeated. */
export type IsNewToken = (token: string) => Promise<boolean>

export async function receiveMailgun(
  request: HookRequest,
  { signingKey }: z.infer<typeof MailgunSettings>,
  isNewToken: IsNewToken,
): Promise<HookReading> {
  const parsed = MailgunBody.safeParse(readJson(request.body))
  if (!parsed.success) return { kind: 'unreadable' }
  const { timestamp, token, signature } = parsed.data.signature
  const wanted = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex')
  if (!isSame(signature, wanted)) return { kind: 'forged' }
  // The signature covers no content, so an old one could be put on anything.
  const ageMs = Math.abs(request.nowMs - Number(timestamp) * 1000)
  if (!(ageMs <= mailgunToleranceMs)) return { kind: 'forged' }
  if (!(await isNewToken(token))) return { kind: 'forged' }
  const event = readMailgun(parsed.data['event-data'], request.nowMs)
  return { kind: 'events', events: event === undefined ? [] : [event], token }
}

export function readMailgun(data: unknown, nowMs: number): HookEvent | undefined {
  const email = textOf(part(data, 'recipient'))
  if (email === null) return undefined
  const messageId = textOf(part(data, 'message', 'headers', 'message-id'))
  const at = timeOf(part(data, 'timestamp'), nowMs)
  const id = idOf(part(data, 'id'))
  const bounce = { kind: 'bounce', email, counts: true, messageId, at } as const
  switch (part(data, 'event')) {
    case 'delivered':
      return { kind: 'delivered', email, messageId, at }
    case 'complained':
      return { ...bounce, type: 'complaint', eventId: id, excerpt: null }
    case 'failed': {
      const reason = part(data, 'reason')
      const status = part(data, 'delivery-status')
      const excerpt = excerptOf(
        reason,
        part(status, 'code'),
        part(status, 'message'),
        part(status, 'description'),
      )
      if (part(data, 'severity') === 'permanent') {
        return { ...bounce, type: 'hard', counts: !isAboutUs(status), eventId: id, excerpt }
      }
      // Mailgun did not even try.
      if (String(reason).startsWith('suppress-')) return undefined
      // Each try of one letter is an event of its own; together they are one bounce.
      const eventId = messageId === null ? id : idOf('try of', messageId, email)
      return { ...bounce, type: 'soft', eventId, excerpt }
    }
    default:
      return undefined
  }
}

/** A refusal for our reputation (X.7.X) is permanent too, and says nothing of the mailbox. */
function isAboutUs(status: unknown): boolean {
  const said =
    part(status, 'enhanced-code') ?? part(status, 'message') ?? part(status, 'description')
  return /^\s*(?:5\d\d[ -]\s*)?5\.7\.\d/.test(String(said))
}
