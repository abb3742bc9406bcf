/** Turns a plan into records on their way: what the plan decided happens here, in the turn of the request. */
import type { EventId } from '#schemas/ids.ts'
import type { IngestContext } from '../context.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import type { IntakePlan } from './plan-intake.ts'

export interface PlanSource {
  readonly key: DsnKey
  /** As the credentials name it; empty when they do not. */
  readonly client: string
  readonly address: Uint8Array | undefined
  /** What the events are ranges of. It is copied before this returns. */
  readonly bytes: Buffer
}

/** The waiter is held for each frame that holds something of the plan. */
export function appendPlan(
  ctx: Pick<IngestContext, 'batcher' | 'clock' | 'recordHeaders' | 'tally'>,
  source: PlanSource,
  plan: IntakePlan,
  waiter: FrameWaiter,
): void {
  if (plan.events.length > 0) appendEvents(ctx, source, plan, waiter)
  if (plan.outcomes.length > 0) {
    waiter.hold()
    ctx.tally.add(source.key, plan.outcomes, waiter)
    ctx.batcher.schedule()
  }
}

function appendEvents(
  ctx: Pick<IngestContext, 'batcher' | 'clock' | 'recordHeaders'>,
  { key, client, address, bytes }: PlanSource,
  plan: IntakePlan,
  waiter: FrameWaiter,
): void {
  const receivedAtMs = ctx.clock.nowMs()
  const sender = client === '' ? (plan.sdk ?? '') : client
  const headerJson = ctx.recordHeaders.json(key.component, sender, plan.sentAt)
  for (const event of plan.events) {
    writeHexId(event.eventId, recordId)
    // Spelled out in full each time: spreading a common part is several times slower.
    ctx.batcher.append(
      {
        kind: 'event',
        projectId: key.projectId,
        dsnKeyNo: key.keyNo,
        receivedAtMs,
        recordId,
        address,
        headerJson,
        payload: bytes,
        payloadStart: event.start,
        payloadEnd: event.end,
      },
      waiter,
    )
  }
}

/** The batcher copies the id at once, so one buffer serves all. */
const recordId = Buffer.alloc(16)

/** @param id 32 lowercase hex digits. */
function writeHexId(id: EventId, target: Uint8Array): void {
  for (let at = 0; at < 16; at += 1) {
    target[at] = (hexDigit(id.charCodeAt(at * 2)) << 4) | hexDigit(id.charCodeAt(at * 2 + 1))
  }
}

function hexDigit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57
}
