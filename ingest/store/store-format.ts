/** The format of `POST /api/{project_id}/store/`, the endpoint of older SDKs: one JSON event. */
import { normalizeEventId } from '#schemas/ids.ts'
import { eventBytesMax } from '#schemas/limits.ts'
import type { IngestContext } from '../context.ts'
import { type PlanContext, planContext, unsupportedOne } from '../envelope/envelope-format.ts'
import { sdkOfValue } from '../envelope/sdk-label.ts'
import { replyFailure, replyTaken, replyTooLarge } from '../http/replies.ts'
import type {
  BodyFormat,
  IntakePlan,
  PlannedBody,
  RefusedBody,
  Sender,
} from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { decodeStore, type StoreBody } from './decode-store.ts'

export const storeFormat: BodyFormat = { mayHoldDsn: false, plan: planStoreBody }

const replyEventTooLarge = replyTooLarge('event', eventBytesMax)

function planStoreBody(
  ctx: IngestContext,
  sender: Sender,
  bytes: Buffer,
): PlannedBody | RefusedBody {
  const body = decodeStore(bytes)
  switch (body.kind) {
    case 'malformed': {
      const reply = replyFailure(400, 'invalid event', [body.cause])
      return refuseBody(ctx, sender, { reason: 'invalid_json', category: 'error', reply })
    }
    case 'too_large': {
      const reply = replyEventTooLarge
      return refuseBody(ctx, sender, { reason: 'too_large', category: 'error', reply })
    }
    case 'event':
      return {
        kind: 'planned',
        bytes: body.bytes,
        plan: planStore(body, planContext(ctx, sender.key)),
      }
  }
}

/**
 * The event is the whole body. A transaction is answered with its id and counted as unsupported.
 */
export function planStore(
  body: Extract<StoreBody, { kind: 'event' }>,
  ctx: PlanContext,
): IntakePlan {
  const eventId = normalizeEventId(body.fields.get('event_id')) ?? ctx.newEventId()
  const isTransaction = body.fields.get('type') === 'transaction'
  return {
    events: isTransaction ? [] : [{ eventId, start: 0, end: body.bytes.length }],
    freeItems: [],
    outcomes: isTransaction
      ? [unsupportedOne(ctx.unsupportedReason('transaction'), 'transaction')]
      : [],
    envelopeId: undefined,
    sentAt: undefined,
    sdk: sdkOfValue(body.fields.get('sdk')),
    reply: replyTaken(eventId),
  }
}
