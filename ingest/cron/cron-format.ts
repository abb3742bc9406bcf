/**
 * The format of check-ins without an SDK: `GET` or `POST
 * /api/{project_id}/cron/{slug}/{public_key}/?status=ok`. A check-in costs no quota, so it is
 * answered 202 and never 429, which would make `curl --fail` break the job.
 */
import { checkInBytesMax } from '#schemas/limits.ts'
import type { IngestContext } from '../context.ts'
import { replyCheckedIn, replyFailure, replyTooLarge } from '../http/replies.ts'
import type { BodyFormat, PlannedBody, RefusedBody, Sender } from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { readCheckIn } from './read-check-in.ts'

export function cronFormat(slug: string, query: string): BodyFormat {
  return {
    mayHoldDsn: false,
    plan: (ctx, sender, body) => planCheckIn(ctx, sender, { slug, query, body }),
  }
}

const tooLarge = {
  reason: 'too_large',
  category: 'monitor',
  reply: replyTooLarge('check-in', checkInBytesMax),
} as const

function planCheckIn(
  ctx: IngestContext,
  sender: Sender,
  call: { readonly slug: string; readonly query: string; readonly body: Buffer },
): PlannedBody | RefusedBody {
  if (checkInBytesMax < call.body.length) return refuseBody(ctx, sender, tooLarge)
  const read = readCheckIn(call)
  if (read.kind === 'invalid') {
    const reply = replyFailure(400, 'invalid check-in', [`${read.field} ${read.rule}`])
    return refuseBody(ctx, sender, { reason: 'invalid_check_in', category: 'monitor', reply })
  }
  const bytes = Buffer.from(read.payload)
  if (checkInBytesMax < bytes.length) return refuseBody(ctx, sender, tooLarge)
  const item = { kind: 'check_in', type: 'check_in', start: 0, end: bytes.length } as const
  return {
    kind: 'planned',
    bytes,
    plan: {
      events: [],
      freeItems: [item],
      outcomes: [],
      // Calls of one job have equal bodies, so each gets a new id and none is a duplicate.
      envelopeId: ctx.newEventId(),
      sentAt: undefined,
      sdk: undefined,
      reply: replyCheckedIn,
    },
  }
}
