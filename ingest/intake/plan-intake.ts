/**
 * Decides what becomes of each item of a request: which go onto the bus as records, which are only
 * counted, and what the client is told. Pure: nothing has happened yet when a plan is made.
 */
import { type EventId, normalizeEventId } from '#schemas/ids.ts'
import { eventBytesMax, sessionItemsPerEnvelopeMax } from '#schemas/limits.ts'
import type { Category, OutcomeCount, RejectReason } from '#schemas/outcome.ts'
import { type FreeKind, itemTypeOf } from '#schemas/wire/item-types.ts'
import type { Envelope, Item } from '../envelope/parse-envelope.ts'
import { scanString } from '../envelope/scan-string.ts'
import { type Reply, replyEmpty, replyTaken, replyTooLarge } from '../http/replies.ts'
import type { StoreBody } from '../store/decode-store.ts'

/** One event, as `bytes[start, end)` of the request. */
export interface PlannedEvent {
  readonly eventId: EventId
  readonly start: number
  readonly end: number
}

/** One item that costs no quota. */
export interface PlannedItem {
  readonly kind: FreeKind
  /** As the item says it; several types are of one kind. */
  readonly type: string
  readonly start: number
  readonly end: number
}

export interface IntakePlan {
  readonly events: readonly PlannedEvent[]
  readonly freeItems: readonly PlannedItem[]
  readonly outcomes: readonly OutcomeCount[]
  /** `event_id` of the envelope. */
  readonly envelopeId: EventId | undefined
  readonly sentAt: string | undefined
  readonly sdk: string | undefined
  readonly reply: Reply
  /** The answer when a limit has refused so many of the events, where that need not be 429. */
  replyPartly?(refusedCount: number): Reply | undefined
}

export interface PlanContext {
  newEventId(): EventId
  unsupportedReason(itemType: string): string
}

export function planEnvelope(envelope: Envelope, bytes: Buffer, ctx: PlanContext): IntakePlan {
  const { header, items } = envelope
  const events: PlannedEvent[] = []
  // Made when it is needed: most envelopes hold an event and nothing else.
  let freeItems: PlannedItem[] | undefined
  const outcomes: OutcomeCount[] = []
  const headerIdHolds = holdsOneEvent(items)
  let sessionCount = 0
  for (const item of items) {
    const itemType = itemTypeOf(item.type)
    const { category, bytesMax } = itemType
    const refuse = (reason: RejectReason) => outcomes.push(rejected(reason, category))
    if (bytesMax < item.end - item.start) {
      refuse('too_large')
      if (items.length === 1) return refusedAsTooLarge(item, bytesMax, outcomes)
    } else if (itemType.handling === 'drop') {
      outcomes.push(unsupported(ctx.unsupportedReason(item.type), category))
    } else if (category === 'session' && sessionItemsPerEnvelopeMax <= sessionCount++) {
      refuse('too_many_items')
    } else if (itemType.handling === 'free') {
      freeItems ??= []
      freeItems.push({ kind: itemType.kind, type: item.type, start: item.start, end: item.end })
    } else {
      const headerId = headerIdHolds ? header.eventId : undefined
      const eventId = headerId ?? payloadEventId(bytes, item) ?? ctx.newEventId()
      events.push({ eventId, start: item.start, end: item.end })
    }
  }
  const eventId = header.eventId ?? events[0]?.eventId
  const answersWithId = eventId !== undefined && items.some((item) => eventLike.has(item.type))
  return {
    events,
    freeItems: freeItems ?? nothing,
    outcomes,
    envelopeId: header.eventId,
    sentAt: header.sentAt,
    sdk: header.sdk,
    reply: answersWithId ? replyTaken(eventId) : replyEmpty,
  }
}

/** The event of `/store/`; its bytes are the whole of the body. */
export function planStore(
  body: Extract<StoreBody, { kind: 'event' }>,
  ctx: PlanContext,
): IntakePlan {
  const eventId = normalizeEventId(body.fields.get('event_id')) ?? ctx.newEventId()
  const reply = replyTaken(eventId)
  const common = { freeItems: nothing, ...noHeader, reply }
  if (body.fields.get('type') === 'transaction') {
    const reason = ctx.unsupportedReason('transaction')
    return { ...common, events: nothing, outcomes: [unsupported(reason, 'transaction')] }
  }
  return { ...common, events: [{ eventId, start: 0, end: body.bytes.length }], outcomes: [] }
}

/** The outcome of a request that is refused as a whole: how many items it held is not known. */
export function refusedWhole(reason: RejectReason, category: Category): OutcomeCount {
  return rejected(reason, category)
}

const nothing: readonly never[] = []
const noHeader = { envelopeId: undefined, sentAt: undefined, sdk: undefined } as const
const eventIdKey = Buffer.from('event_id')

/** Item types whose envelope is answered with an id. */
const eventLike: ReadonlySet<string> = new Set([
  'event',
  'transaction',
  'feedback',
  'raw_security',
  'nel',
  'attachment',
])

/** With several events the header's id would make all but one of them duplicates. */
function holdsOneEvent(items: readonly Item[]): boolean {
  let count = 0
  for (const item of items) if (item.type === 'event') count += 1
  return count === 1
}

function payloadEventId(bytes: Buffer, item: Item): EventId | undefined {
  return normalizeEventId(scanString(eventIdKey, bytes, item.start, item.end))
}

function refusedAsTooLarge(
  item: Item,
  bytesMax: number,
  outcomes: readonly OutcomeCount[],
): IntakePlan {
  const reply = replyTooLarge(item.type === 'event' ? 'event' : 'item', bytesMax)
  return { events: nothing, freeItems: nothing, outcomes, ...noHeader, reply }
}

function rejected(reason: RejectReason, category: Category): OutcomeCount {
  return { outcome: 'rejected', reason, category, quantity: 1 }
}

function unsupported(reason: string, category: Category): OutcomeCount {
  return { outcome: 'unsupported', reason, category, quantity: 1 }
}

export const storeTooLarge = replyTooLarge('event', eventBytesMax)
