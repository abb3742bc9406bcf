/**
 * Turns a plan into records on their way, in the turn of the request: each event is looked for among those that were taken
 * already, charged, and appended with the lease it was charged to. The first that is refused ends the charging; what
 * came before it stays, and a copy costs nothing wherever it stands. Items that cost nothing go in any case.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import type { NotedIds } from '../dedup/released-ids.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import type { Refusal } from '../quota/refusal.ts'
import { appendFreeItems } from './append-free-items.ts'
import { eventIdBytes } from './event-id-bytes.ts'
import type { IntakePlan, PlannedEvent } from './plan-intake.ts'

export interface PlanSource {
  readonly key: DsnKey
  /** As the credentials name it; empty when they do not. */
  readonly client: string
  readonly address: Uint8Array | undefined
  /** What events and items are ranges of. It is copied before this returns. */
  readonly bytes: Buffer
  /** The time that the events are charged at, and that all records carry. */
  readonly receivedAtMs: number
}

export interface AppendedPlan {
  /** Of the events that were appended: safe when the waiter is let go. */
  readonly ids: NotedIds
  readonly refusal: Refusal | undefined
  /** Events that the refusal met. */
  readonly refusedCount: number
}

/** The waiter is held for each frame that holds something of the plan. */
export function appendPlan(
  ctx: Pick<
    IngestContext,
    'batcher' | 'newEventId' | 'quota' | 'recordHeaders' | 'releasedIds' | 'tally'
  >,
  source: PlanSource,
  plan: IntakePlan,
  waiter: FrameWaiter,
): AppendedPlan {
  const { key, client, address, bytes, receivedAtMs } = source
  const { projectId } = key
  const sender = client === '' ? (plan.sdk ?? '') : client
  const headerJson = ctx.recordHeaders.json(key.component, sender, plan.sentAt)
  let refusal: Refusal | undefined
  const ids: NotedIds = []
  let copies = 0
  let refused = 0
  for (const event of plan.events) {
    const recordId = eventIdBytes(event.eventId)
    if (ctx.releasedIds.has(projectId, recordId)) {
      copies += 1
      continue
    }
    const charged = refusal ?? ctx.quota.charge(key, receivedAtMs)
    if (typeof charged !== 'number') {
      refusal = charged
      refused += 1
      continue
    }
    ctx.releasedIds.note(ids)
    // Spelled out in full each time: spreading a common part is several times slower.
    ctx.batcher.append(
      {
        kind: 'event',
        projectId,
        dsnKeyNo: key.keyNo,
        receivedAtMs,
        recordId,
        leaseNo: charged,
        address,
        headerJson,
        payload: bytes,
        payloadStart: event.start,
        payloadEnd: event.end,
      },
      waiter,
    )
  }
  if (plan.freeItems.length > 0) appendFreeItems(ctx, source, { plan, headerJson, waiter })
  const outcomes = outcomesOf(plan, { copies, refused }, refusal)
  if (outcomes.length > 0) {
    waiter.hold()
    ctx.tally.add(key, outcomes, waiter)
    ctx.batcher.schedule()
  }
  return { ids, refusal, refusedCount: refused }
}

/** Events of the plan that would have to be charged: copies of what was taken cost nothing. */
export function countFresh(
  { releasedIds }: Pick<IngestContext, 'releasedIds'>,
  projectId: ProjectId,
  events: readonly PlannedEvent[],
): number {
  let count = 0
  for (const { eventId } of events) {
    if (!releasedIds.has(projectId, eventIdBytes(eventId))) count += 1
  }
  return count
}

function outcomesOf(
  plan: IntakePlan,
  counts: { readonly copies: number; readonly refused: number },
  refusal: Refusal | undefined,
): readonly OutcomeCount[] {
  if (counts.copies === 0 && refusal === undefined) return plan.outcomes
  const outcomes = [...plan.outcomes]
  const common = { category: 'error' } as const
  if (counts.copies > 0) {
    outcomes.push({ ...common, outcome: 'duplicate', reason: '', quantity: counts.copies })
  }
  if (refusal !== undefined) {
    const reason = refusal.outcomeReason
    outcomes.push({ ...common, outcome: 'over_quota', reason, quantity: counts.refused })
  }
  return outcomes
}
