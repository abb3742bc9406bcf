/**
 * Check-ins without an SDK: `GET` or `POST /api/{project_id}/cron/{slug}/{public_key}/?status=ok`. The answer is 202 and never
 * 429, so that `curl --fail` in a job does not break it: a check-in costs no quota.
 */
import { checkInBytesMax } from '#schemas/limits.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import { replyCheckedIn, replyFailure, replyTooLarge } from '../http/replies.ts'
import type { BodyFormat, PlannedBody, RefusedBody } from '../intake/body-format.ts'
import { countRejected } from '../intake/plan-body.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { readCheckIn } from './read-check-in.ts'

export function cronFormat(slug: string, query: string): BodyFormat {
  return {
    mayHoldDsn: false,
    plan: (ctx, _head, key, body) => planCheckIn(ctx, key, { slug, query, body }),
  }
}

const tooLarge = replyTooLarge('check-in', checkInBytesMax)

function planCheckIn(
  ctx: IngestContext,
  key: DsnKey,
  call: { readonly slug: string; readonly query: string; readonly body: Buffer },
): PlannedBody | RefusedBody {
  const refuse = (reason: RejectReason, reply: RefusedBody['reply']): RefusedBody => {
    countRejected(ctx, key, reason, 'monitor')
    return { kind: 'refused', reply }
  }
  if (checkInBytesMax < call.body.length) return refuse('too_large', tooLarge)
  const read = readCheckIn(call)
  if (read.kind === 'invalid') {
    const causes = [`${read.field} ${read.rule}`]
    return refuse('invalid_check_in', replyFailure(400, 'invalid check-in', causes))
  }
  const bytes = Buffer.from(read.payload)
  if (checkInBytesMax < bytes.length) return refuse('too_large', tooLarge)
  const item = { kind: 'check_in', type: 'check_in', start: 0, end: bytes.length } as const
  return {
    kind: 'planned',
    bytes,
    plan: {
      events: [],
      freeItems: [item],
      outcomes: [],
      // A job says the same every time, so each call is one of its own.
      envelopeId: ctx.newEventId(),
      sentAt: undefined,
      sdk: undefined,
      reply: replyCheckedIn,
    },
  }
}
