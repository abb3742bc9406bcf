/**
 * Turns a plan into records on their way, in the turn of the request: each event is looked for among those that were taken
 * already, charged, and appended with the lease it was charged to. The first that is refused ends the charging; what
 * came before it stays, and a copy costs nothing wherever it stands.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import type { Refusal } from '../quota/refusal.ts'
import { eventIdBytes } from './event-id-bytes.ts'
import type { IntakePlan, PlannedEvent } from './plan-intake.ts'

export interface PlanSource {
  readonly key: DsnKey
  /** As the credentials name it; empty when they do not. */
  readonly client: string
  readonly address: Uint8Array | undefined
  /** What the events are ranges of. It is copied before this returns. */
  readonly bytes: Buffer
  /** The time that the events are charged at, and carry. */
  readonly receivedAtMs: number
}

export interface AppendedPlan {
  /** Taken now or earlier: safe when the waiter is let go. */
  readonly events: readonly PlannedEvent[]
  readonly refusal: Refusal | undefined
}

/** The waiter is held for each frame that holds something of the plan. */
export function appendPlan(
  ctx: Pick<IngestContext, 'batcher' | 'quota' | 'recordHeaders' | 'releasedIds' | 'tally'>,
  source: PlanSource,
  plan: IntakePlan,
  waiter: FrameWaiter,
): AppendedPlan {
  const { key, client, address, bytes, receivedAtMs } = source
  const { projectId } = key
  const sender = client === '' ? (plan.sdk ?? '') : client
  const headerJson = ctx.recordHeaders.json(key.component, sender, plan.sentAt)
  let refusal: Refusal | undefined
  let takenEnd = plan.events.length
  let copyCount = 0
  let refusedCount = 0
  for (const [index, event] of plan.events.entries()) {
    const recordId = eventIdBytes(event.eventId)
    if (ctx.releasedIds.has(projectId, recordId)) {
      copyCount += 1
      continue
    }
    const charged = refusal ?? ctx.quota.charge(key, receivedAtMs)
    if (typeof charged !== 'number') {
      if (refusal === undefined) takenEnd = index
      refusal = charged
      refusedCount += 1
      continue
    }
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
  const outcomes = [...plan.outcomes]
  if (copyCount > 0) outcomes.push(ofEvents('duplicate', '', copyCount))
  if (refusal !== undefined) {
    outcomes.push(ofEvents('over_quota', refusal.outcomeReason, refusedCount))
  }
  if (outcomes.length > 0) {
    waiter.hold()
    ctx.tally.add(key, outcomes, waiter)
    ctx.batcher.schedule()
  }
  const events = refusal === undefined ? plan.events : plan.events.slice(0, takenEnd)
  return { events, refusal }
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

function ofEvents(
  outcome: 'duplicate' | 'over_quota',
  reason: string,
  quantity: number,
): OutcomeCount {
  return { outcome, reason, category: 'error', quantity }
}
