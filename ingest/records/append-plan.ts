/**
 * Appends a plan's events and items to frames as records. An event whose id was published recently
 * is a duplicate and costs no quota; every other event is charged to a quota lease, which its
 * record names. After one event is refused, the remaining events of the plan are refused too, and
 * those before it stay. Items that cost no quota are always appended.
 */
import type { EventId, ProjectId } from '#schemas/ids.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import type { NotedIds } from '../dedup/released-ids.ts'
import type { FrameWaiter } from '../frames/frame-batcher.ts'
import type { IntakePlan, PlannedEvent, PlannedItem } from '../intake/body-format.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import type { Refusal } from '../quota/refusal.ts'
import { FreeRecordIds } from './free-record-ids.ts'
import { checkInPartitionKey, sessionPartitionKey } from './partition-keys.ts'

export interface PlanSource {
  readonly key: DsnKey
  /** Name and version of the SDK from the credentials; empty when they have none. */
  readonly client: string
  /** 4 or 16 bytes. */
  readonly address: Uint8Array | undefined
  /** Events and items are ranges of these bytes, which are copied into the frames. */
  readonly bytes: Buffer
  /** The time at which events are charged. Every record carries it. */
  readonly receivedAtMs: number
}

export interface AppendedPlan {
  /** Ids of the appended events. They are durable once the waiter is released. */
  readonly ids: NotedIds
  readonly refusal: Refusal | undefined
  /** Number of refused events. */
  readonly refusedCount: number
}

/** Holds the waiter once for each frame that contains a record of the plan. */
export function appendPlan(
  ctx: Pick<
    IngestContext,
    'batcher' | 'newEventId' | 'quota' | 'recordHeaders' | 'releasedIds' | 'sdkNames' | 'tally'
  >,
  source: PlanSource,
  plan: IntakePlan,
  waiter: FrameWaiter,
): AppendedPlan {
  const { key, client, address, bytes, receivedAtMs } = source
  const { projectId } = key
  const sender = client === '' ? (plan.sdk ?? '') : client
  const sdk = ctx.sdkNames.nameFor(projectId, sender, receivedAtMs)
  const headerJson = ctx.recordHeaders.json(key.component, sender, sdk, plan.sentAt)
  let refusal: Refusal | undefined
  const ids: NotedIds = []
  let refused = 0
  /** Outcomes of events, by their SDKs; allocated on first use. */
  let unsent: Map<string, UnsentEvents> | undefined
  for (const event of plan.events) {
    const recordId = eventIdBytes(event.eventId)
    const ownSdk = client === '' ? event.sdk : undefined
    const eventSdk =
      ownSdk === undefined ? sdk : ctx.sdkNames.nameFor(projectId, ownSdk, receivedAtMs)
    if (ctx.releasedIds.has(projectId, recordId)) {
      unsent ??= new Map()
      // mutant: skip-known-copy
      unsentOf(unsent, eventSdk).copies += 1
      continue
    }
    const charged = refusal ?? ctx.quota.charge(key, receivedAtMs)
    if (typeof charged !== 'number') {
      refusal = charged
      refused += 1
      unsent ??= new Map()
      unsentOf(unsent, eventSdk).refused += 1
      continue
    }
    ctx.releasedIds.note(ids)
    // Written out in full: spreading a common part is several times slower.
    ctx.batcher.append(
      {
        kind: 'event',
        projectId,
        dsnKeyNo: key.keyNo,
        receivedAtMs,
        recordId,
        leaseNo: charged,
        address,
        headerJson:
          ownSdk === undefined
            ? headerJson
            : ctx.recordHeaders.json(key.component, '', eventSdk, plan.sentAt),
        payload: bytes,
        payloadStart: event.start,
        payloadEnd: event.end,
      },
      waiter,
    )
  }
  if (plan.freeItems.length > 0) appendFreeItems(ctx, source, { plan, headerJson, waiter })
  if (plan.keptAttachments !== undefined && plan.keptAttachments.length > 0) {
    if (refusal === undefined) appendAttachments(ctx, source, { plan, headerJson, waiter })
    else tallyOutcomes(ctx, key, sdk, [overQuotaFiles(refusal, plan.keptAttachments)], waiter)
  }
  tallyOutcomes(ctx, key, sdk, plan.outcomes, waiter)
  if (unsent !== undefined) {
    for (const [eventSdk, counts] of unsent) {
      tallyOutcomes(ctx, key, eventSdk, outcomesOf(counts, refusal), waiter)
    }
  }
  return { ids, refusal, refusedCount: refused }
}

function tallyOutcomes(
  { tally, batcher }: Pick<IngestContext, 'batcher' | 'tally'>,
  key: DsnKey,
  sdk: string,
  outcomes: readonly OutcomeCount[],
  waiter: FrameWaiter,
): void {
  if (outcomes.length === 0) return
  // mutant: hold-for-outcomes
  waiter.hold()
  tally.add(key, sdk, outcomes, waiter)
  batcher.schedule()
}

/** Number of events that would be charged: those whose id was not published recently. */
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

interface FreePlan {
  readonly plan: IntakePlan
  /** The header of the envelope's events; each item's own header starts with the same fields. */
  readonly headerJson: string
  readonly waiter: FrameWaiter
}

function appendFreeItems(
  {
    batcher,
    newEventId,
    recordHeaders,
  }: Pick<IngestContext, 'batcher' | 'newEventId' | 'recordHeaders'>,
  { key, address, bytes, receivedAtMs }: PlanSource,
  { plan, headerJson, waiter }: FreePlan,
): void {
  const { envelopeId, sentAt } = plan
  const ids = new FreeRecordIds({ envelopeId, sentAt, address }, bytes, () =>
    eventIdBytes(newEventId()),
  )
  const feedbackId = holdsOneFeedback(plan.freeItems) ? envelopeId : undefined
  for (const item of plan.freeItems) {
    const { kind, type, start, end } = item
    const partitionKey = partitionKeyOf(item, bytes)
    const itemType = type === kind ? undefined : type
    const itemEnvelopeId = kind === 'feedback' ? feedbackId : undefined
    batcher.append(
      {
        kind,
        projectId: key.projectId,
        dsnKeyNo: key.keyNo,
        receivedAtMs,
        recordId: ids.next(item),
        partitionKey,
        address,
        headerJson: recordHeaders.itemJson(headerJson, itemType, itemEnvelopeId),
        payload: bytes,
        payloadStart: start,
        // mutant: append-free-item
        payloadEnd: end,
      },
      waiter,
    )
  }
}

/** In the partition of their event. */
function appendAttachments(
  { batcher }: Pick<IngestContext, 'batcher'>,
  { key, receivedAtMs }: PlanSource,
  { plan, headerJson, waiter }: FreePlan,
): void {
  for (const { recordId, eventId, payload } of plan.keptAttachments ?? []) {
    batcher.append(
      {
        kind: 'attachment',
        projectId: key.projectId,
        dsnKeyNo: key.keyNo,
        receivedAtMs,
        recordId,
        partitionKey: eventIdBytes(eventId),
        headerJson,
        payload,
        payloadStart: 0,
        payloadEnd: payload.length,
      },
      waiter,
    )
  }
}

/** Files whose event was refused by quota. */
export function overQuotaFiles(refusal: Refusal, files: readonly unknown[]): OutcomeCount {
  const { outcomeReason: reason } = refusal
  return { outcome: 'over_quota', reason, category: 'attachment', quantity: files.length }
}

function partitionKeyOf({ kind, type, start, end }: PlannedItem, bytes: Buffer) {
  if (kind === 'check_in') return checkInPartitionKey(bytes, start, end)
  return type === 'session' ? sessionPartitionKey(bytes, start, end) : undefined
}

/** The envelope's id applies to a single feedback only: several with one id would be duplicates. */
function holdsOneFeedback(items: readonly PlannedItem[]): boolean {
  return items.filter(({ kind }) => kind === 'feedback').length === 1
}

interface UnsentEvents {
  copies: number
  refused: number
}

function unsentOf(unsent: Map<string, UnsentEvents>, sdk: string): UnsentEvents {
  let counts = unsent.get(sdk)
  if (counts === undefined) {
    counts = { copies: 0, refused: 0 }
    unsent.set(sdk, counts)
  }
  return counts
}

function outcomesOf(
  { copies, refused }: UnsentEvents,
  refusal: Refusal | undefined,
): readonly OutcomeCount[] {
  const outcomes: OutcomeCount[] = []
  if (copies > 0) {
    outcomes.push({ outcome: 'duplicate', reason: '', category: 'error', quantity: copies })
  }
  if (refusal !== undefined && refused > 0) {
    const { outcomeReason: reason } = refusal
    outcomes.push({ outcome: 'over_quota', reason, category: 'error', quantity: refused })
  }
  return outcomes
}

const idBytes = new Uint8Array(16)

/**
 * The id as 16 bytes. Every call returns the same array, so a caller that keeps the bytes must copy
 * them.
 */
function eventIdBytes(id: EventId): Uint8Array {
  for (let at = 0; at < 16; at += 1) {
    idBytes[at] = (hexDigit(id.charCodeAt(at * 2)) << 4) | hexDigit(id.charCodeAt(at * 2 + 1))
  }
  return idBytes
}

/** Value of a lowercase digit. Branchless, because random digits defeat branch prediction. */
function hexDigit(code: number): number {
  return (code & 15) + 9 * (code >> 6)
}
