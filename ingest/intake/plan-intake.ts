/**
 * Decides what becomes of each item of a request: which go onto the bus as records, which are only
 * counted, and what the client is told. Pure: nothing has happened yet when a plan is made.
 */
import { type EventId, normalizeEventId } from '#schemas/ids.ts'
import { eventBytesMax, sessionItemsPerEnvelopeMax } from '#schemas/limits.ts'
import type { Category, OutcomeCount, RejectReason } from '#schemas/outcome.ts'
import { itemTypeOf } from '#schemas/wire/item-types.ts'
import type { Envelope, Item } from '../envelope/parse-envelope.ts'
import { scanEventId } from '../envelope/scan-event-id.ts'
import { type Reply, replyEmpty, replyTaken, replyTooLarge } from '../http/replies.ts'
import type { StoreBody } from '../store/decode-store.ts'

/** One event, as `bytes[start, end)` of the request. */
export interface PlannedEvent {
  readonly eventId: EventId
  readonly start: number
  readonly end: number
}

export interface IntakePlan {
  readonly events: readonly PlannedEvent[]
  readonly outcomes: readonly OutcomeCount[]
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
  const outcomes: OutcomeCount[] = []
  const headerIdHolds = holdsOneEvent(items)
  let sessionCount = 0
  for (const item of items) {
    const { category, handling, bytesMax } = itemTypeOf(item.type)
    const refuse = (reason: RejectReason) => outcomes.push(rejected(reason, category))
    if (bytesMax < item.end - item.start) {
      refuse('too_large')
      if (items.length === 1) return refusedAsTooLarge(item, bytesMax, outcomes)
    } else if (handling === 'drop') {
      outcomes.push(unsupported(ctx.unsupportedReason(item.type), category))
    } else if (category === 'session' && sessionItemsPerEnvelopeMax <= sessionCount++) {
      refuse('too_many_items')
    } else if (handling === 'count') {
      outcomes.push({ outcome: 'accepted', reason: '', category, quantity: 1 })
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
    outcomes,
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
  const common = { sentAt: undefined, sdk: undefined, reply }
  if (body.fields.get('type') === 'transaction') {
    const reason = ctx.unsupportedReason('transaction')
    return { ...common, events: [], outcomes: [unsupported(reason, 'transaction')] }
  }
  return { ...common, events: [{ eventId, start: 0, end: body.bytes.length }], outcomes: [] }
}

/** The outcome of a request that is refused as a whole: how many items it held is not known. */
export function refusedWhole(reason: RejectReason, category: Category): OutcomeCount {
  return rejected(reason, category)
}

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
  return normalizeEventId(scanEventId(bytes, item.start, item.end))
}

function refusedAsTooLarge(
  item: Item,
  bytesMax: number,
  outcomes: readonly OutcomeCount[],
): IntakePlan {
  const reply = replyTooLarge(item.type === 'event' ? 'event' : 'item', bytesMax)
  return { events: [], outcomes, sentAt: undefined, sdk: undefined, reply }
}

function rejected(reason: RejectReason, category: Category): OutcomeCount {
  return { outcome: 'rejected', reason, category, quantity: 1 }
}

function unsupported(reason: string, category: Category): OutcomeCount {
  return { outcome: 'unsupported', reason, category, quantity: 1 }
}

export const storeTooLarge = replyTooLarge('event', eventBytesMax)
