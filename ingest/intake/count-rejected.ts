/**
 * Counts bodies that are refused as a whole. How many items such a body held is unknown, so each
 * counts as one.
 */
import type { Category, RejectReason } from '#schemas/outcome.ts'
import { admitKey } from '../auth/admit-key.ts'
import type { IngestContext } from '../context.ts'
import type { Reply } from '../http/replies.ts'
import type { RefusedBody, Sender } from './body-format.ts'
import { rejectedOne } from './rejected-one.ts'
import type { RequestHead } from './request-head.ts'

export interface Rejection {
  readonly reason: RejectReason
  readonly category: Category
  readonly reply: Reply
}

/** Refuses a body with this reply and counts it. */
export function refuseBody(
  ctx: IngestContext,
  sender: Sender,
  { reason, category, reply }: Rejection,
): RefusedBody {
  countRejected(ctx, sender, reason, category)
  return { kind: 'refused', reply }
}

export function countRejected(
  ctx: IngestContext,
  { key, client }: Sender,
  reason: RejectReason,
  category: Category,
): void {
  const sdk = ctx.sdkNames.nameFor(key.projectId, client, ctx.clock.nowMs())
  ctx.tally.add(key, sdk, [rejectedOne(reason, category)], undefined)
  ctx.batcher.schedule()
}

/** Counts a request that is refused before its body is read, if its key is in memory. */
export function countRefusedHead(
  ctx: IngestContext,
  head: RequestHead,
  reason: RejectReason,
): void {
  const { credentials } = head
  if (credentials.kind !== 'key') return
  const lookup = ctx.keys.peek(credentials.publicKey)
  if (lookup === undefined) return
  const admission = admitKey(lookup, head)
  if (admission.kind !== 'admitted') return
  const { client } = credentials
  countRejected(ctx, { key: admission.key, client }, reason, 'unknown')
}
