/** Envelopes and single events: a plain body is parsed, and it is planned what becomes of its items. */
import type { Category, RejectReason } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import { parseEnvelope } from '../envelope/parse-envelope.ts'
import { replyFailure } from '../http/replies.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { decodeStore } from '../store/decode-store.ts'
import type { BodyFormat, PlannedBody, RefusedBody } from './body-format.ts'
import type { RequestHead } from './intake-request.ts'
import { planEnvelope, planStore, refusedWhole, storeTooLarge } from './plan-intake.ts'

export const envelopeFormat: BodyFormat = { mayHoldDsn: true, plan: planEnvelopeBody }
export const storeFormat: BodyFormat = { mayHoldDsn: false, plan: planStoreBody }

export function countRejected(
  ctx: IngestContext,
  key: DsnKey,
  reason: RejectReason,
  category: Category,
): void {
  ctx.tally.add(key, [refusedWhole(reason, category)], undefined)
  ctx.batcher.schedule()
}

function planEnvelopeBody(
  ctx: IngestContext,
  { credentials }: RequestHead,
  key: DsnKey,
  bytes: Buffer,
): PlannedBody | RefusedBody {
  const isClientKnown = credentials.kind === 'key' && credentials.client !== ''
  const envelope = parseEnvelope(bytes, isClientKnown ? 'without sdk' : 'with sdk')
  if (envelope.kind === 'malformed') {
    const status = envelope.reason === 'too_many_items' ? 413 : 400
    countRejected(ctx, key, envelope.reason, 'unknown')
    return { kind: 'refused', reply: replyFailure(status, envelope.detail, [envelope.cause]) }
  }
  return { kind: 'planned', bytes, plan: planEnvelope(envelope, bytes, planContext(ctx, key)) }
}

function planStoreBody(
  ctx: IngestContext,
  _head: RequestHead,
  key: DsnKey,
  bytes: Buffer,
): PlannedBody | RefusedBody {
  const body = decodeStore(bytes)
  switch (body.kind) {
    case 'malformed':
      countRejected(ctx, key, 'invalid_json', 'error')
      return { kind: 'refused', reply: replyFailure(400, 'invalid event', [body.cause]) }
    case 'too_large':
      countRejected(ctx, key, 'too_large', 'error')
      return { kind: 'refused', reply: storeTooLarge }
    case 'event':
      return { kind: 'planned', bytes: body.bytes, plan: planStore(body, planContext(ctx, key)) }
  }
}

function planContext({ newEventId, unsupportedTypes }: IngestContext, key: DsnKey) {
  return {
    newEventId,
    unsupportedReason: (type: string) => unsupportedTypes.reasonFor(key.projectId, type),
  }
}
