import type { z } from 'zod'
import type { PostmarkSettings } from '#schemas/mail/bounce-adapter.ts'
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

const hardTypes: ReadonlySet<unknown> = new Set([
  'HardBounce',
  'BadEmailAddress',
  'ManuallyDeactivated',
])
const softTypes: ReadonlySet<unknown> = new Set([
  'SoftBounce',
  'Transient',
  'DnsError',
  'MailboxFull',
])
/** About our reputation: kept for people to see, and no word about the mailbox. */
const aboutUsTypes: ReadonlySet<unknown> = new Set([
  'Blocked',
  'SpamNotification',
  'DMARCPolicy',
  'VirusNotification',
])

/** Postmark signs nothing: the password of its URL is all there is. */
export function receivePostmark(
  request: HookRequest,
  { username, password }: z.infer<typeof PostmarkSettings>,
): HookReading {
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  if (!isSame(request.headers.authorization ?? '', wanted)) return { kind: 'forged' }
  const body = readJson(request.body)
  if (typeof body !== 'object' || body === null) return { kind: 'unreadable' }
  const event = readPostmark(body, request.nowMs)
  return { kind: 'events', events: event === undefined ? [] : [event] }
}

/** `RecordType` decides; a change of a subscription is no bounce. */
export function readPostmark(body: unknown, nowMs: number): HookEvent | undefined {
  const recordType = part(body, 'RecordType')
  // What Postmark calls MessageID is its own.
  const messageId = null
  if (recordType === 'Delivery') {
    const email = textOf(part(body, 'Recipient'))
    const at = timeOf(part(body, 'DeliveredAt'), nowMs)
    return email === null ? undefined : { kind: 'delivered', email, messageId, at }
  }
  const isComplaint = recordType === 'SpamComplaint'
  const email = textOf(part(body, 'Email'))
  if (email === null || (recordType !== 'Bounce' && !isComplaint)) return undefined
  const type = part(body, 'Type')
  const verdict = isComplaint || type === 'SpamComplaint' ? 'complaint' : verdictOf(type)
  if (verdict === undefined) return undefined
  return {
    kind: 'bounce',
    email,
    type: verdict === 'about_us' ? 'soft' : verdict,
    counts: verdict !== 'about_us',
    eventId: idOf(part(body, 'ID')),
    messageId,
    at: timeOf(part(body, 'BouncedAt'), nowMs),
    excerpt: excerptOf(type, part(body, 'Details') ?? part(body, 'Description')),
  }
}

function verdictOf(type: unknown): 'hard' | 'soft' | 'about_us' | undefined {
  if (hardTypes.has(type)) return 'hard'
  if (softTypes.has(type)) return 'soft'
  return aboutUsTypes.has(type) ? 'about_us' : undefined
}
