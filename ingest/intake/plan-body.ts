/** Parses a plain body and plans what becomes of its items. One that cannot be parsed is counted, and has its answer. */
import type { Category, RejectReason } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import { parseEnvelope } from '../envelope/parse-envelope.ts'
import { type Reply, replyFailure } from '../http/replies.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { decodeStore } from '../store/decode-store.ts'
import type { RequestHead } from './intake-request.ts'
import {
  type IntakePlan,
  planEnvelope,
  planStore,
  refusedWhole,
  storeTooLarge,
} from './plan-intake.ts'

export interface PlannedBody {
  readonly kind: 'planned'
  readonly plan: IntakePlan
  /** What the plan's events are ranges of. */
  readonly bytes: Buffer
}

export interface RefusedBody {
  readonly kind: 'refused'
  readonly reply: Reply
}

export function planBody(
  ctx: IngestContext,
  head: RequestHead,
  key: DsnKey,
  bytes: Buffer,
): PlannedBody | RefusedBody {
  return head.format === 'envelope'
    ? planEnvelopeBody(ctx, head, key, bytes)
    : planStoreBody(ctx, key, bytes)
}

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

function planStoreBody(ctx: IngestContext, key: DsnKey, bytes: Buffer): PlannedBody | RefusedBody {
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
