/**
 * Native SDKs may send a crash as an envelope that holds nothing but a minidump. Such an envelope
 * becomes an event, of a project that keeps attachments.
 */

import { replyTaken } from '../http/replies.ts'
import type { IntakePlan, PlannedBody } from '../intake/body-format.ts'
import { eventOfMinidump } from './event-of-minidump.ts'

export const minidumpType = 'event.minidump'

export function withMinidumpEvent(plan: IntakePlan, bytes: Buffer): PlannedBody {
  const dump = plan.attachments?.find(({ type }) => type === minidumpType)
  const isAlone = plan.events.length === 0 && plan.freeItems.length === 0
  if (dump === undefined || !isAlone) return { kind: 'planned', bytes, plan }
  const { eventId, start, end } = dump
  const event = eventOfMinidump({ eventId, sent: {}, dump: bytes.subarray(start, end) })
  return {
    kind: 'planned',
    bytes: Buffer.concat([bytes, event]),
    plan: {
      ...plan,
      events: [{ eventId, start: bytes.length, end: bytes.length + event.length }],
      reply: replyTaken(eventId),
    },
  }
}
