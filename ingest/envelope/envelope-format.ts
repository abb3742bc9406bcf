/**
 * The format of `POST /api/{project_id}/envelope/`: decides for each item of an envelope whether it
 * becomes a record or is only counted, and what the client is answered. Nothing is charged or
 * appended here.
 */
import { type EventId, normalizeEventId } from '#schemas/ids.ts'
import { sessionItemsPerEnvelopeMax } from '#schemas/limits.ts'
import type { Category, OutcomeCount, RejectReason } from '#schemas/outcome.ts'
import { itemTypeOf } from '#schemas/wire/item-types.ts'
import { AttachmentItems } from '../attachments/attachment-items.ts'
import type { IngestContext } from '../context.ts'
import { replyEmpty, replyFailure, replyTaken, replyTooLarge } from '../http/replies.ts'
import type {
  BodyFormat,
  IntakePlan,
  PlannedBody,
  PlannedEvent,
  PlannedItem,
  RefusedBody,
  Sender,
} from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { rejectedOne } from '../intake/rejected-one.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { withMinidumpEvent } from '../minidump/envelope-minidump.ts'
import { type Envelope, type Item, parseEnvelope, parseEnvelopeHeader } from './parse-envelope.ts'
import { scanObject, scanString } from './scan-string.ts'
import { sdkLabel } from './sdk-label.ts'

export const envelopeFormat: BodyFormat = { mayHoldDsn: true, plan: planEnvelopeBody }

function planEnvelopeBody(
  ctx: IngestContext,
  sender: Sender,
  bytes: Buffer,
): PlannedBody | RefusedBody {
  const { key, client } = sender
  const envelope = parseEnvelope(bytes, client === '' ? 'with sdk' : 'without sdk')
  if (envelope.kind === 'malformed') {
    const { reason, detail, cause } = envelope
    const reply = replyFailure(reason === 'too_many_items' ? 413 : 400, detail, [cause])
    const refused = client === '' ? { key, client: sdkInHeader(bytes) } : sender
    return refuseBody(ctx, refused, { reason, category: 'unknown', reply })
  }
  const planned = planEnvelope(envelope, bytes, planContext(ctx, key))
  const plan = client === '' ? withSdk(planned, bytes) : planned
  return plan.attachments === undefined
    ? { kind: 'planned', bytes, plan }
    : withMinidumpEvent(plan, bytes)
}

/** Of an envelope whose items are malformed. */
function sdkInHeader(bytes: Buffer): string {
  const header = parseEnvelopeHeader(bytes)
  return 'kind' in header ? '' : (header.sdk ?? '')
}

/**
 * The SDK that the first event names, for envelopes of clients that name theirs neither in the
 * credentials nor in the header. No known SDK sends such ones.
 */
function withSdk(plan: IntakePlan, bytes: Buffer): IntakePlan {
  const event = plan.events[0]
  if (plan.sdk !== undefined || event === undefined) return plan
  const start = scanObject(sdkKey, bytes, event.start, event.end)
  const name = start < 0 ? undefined : scanString(nameKey, bytes, start, event.end)
  return name === undefined ? plan : { ...plan, sdk: sdkLabel(name, undefined) }
}

/** The parts of a plan that depend on more than the envelope. */
export interface PlanContext {
  newEventId(): EventId
  unsupportedReason(itemType: string): string
  /** Whether attachments are kept. */
  readonly keepsAttachments?: boolean
}

export function planContext(
  { newEventId, unsupportedTypes }: IngestContext,
  { projectId, attachments }: DsnKey,
): PlanContext {
  return {
    newEventId,
    unsupportedReason: (type) => unsupportedTypes.reasonFor(projectId, type),
    keepsAttachments: attachments !== undefined,
  }
}

export function planEnvelope(envelope: Envelope, bytes: Buffer, ctx: PlanContext): IntakePlan {
  const { header, items } = envelope
  const events: PlannedEvent[] = []
  // Allocated on first use: most envelopes hold one event and nothing else.
  let freeItems: PlannedItem[] | undefined
  const outcomes: OutcomeCount[] = []
  const headerIdHolds = holdsOneEvent(items)
  let sessionCount = 0
  let files: AttachmentItems | undefined
  for (const item of items) {
    const itemType = itemTypeOf(item.type)
    const { category, bytesMax } = itemType
    const refuse = (reason: RejectReason) => outcomes.push(rejectedOne(reason, category))
    if (bytesMax < item.end - item.start) {
      refuse('too_large')
      if (items.length === 1) return refusedAsTooLarge(item, bytesMax, outcomes, header.sdk)
    } else if (itemType.handling === 'drop') {
      if (item.type === 'attachment' && ctx.keepsAttachments === true) {
        files ??= new AttachmentItems()
        files.add(bytes, item, outcomes)
        continue
      }
      outcomes.push(unsupportedOne(ctx.unsupportedReason(item.type), category))
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
  const attachments = files?.plan({ eventId, items, outcomes, ctx })
  const answersWithId = eventId !== undefined && items.some((item) => eventLike.has(item.type))
  return {
    events,
    freeItems: freeItems ?? nothing,
    outcomes,
    ...(attachments === undefined ? {} : { attachments }),
    envelopeId: header.eventId,
    sentAt: header.sentAt,
    sdk: header.sdk,
    reply: answersWithId ? replyTaken(eventId) : replyEmpty,
  }
}

const nothing: readonly never[] = []
const eventIdKey = Buffer.from('event_id')
const sdkKey = Buffer.from('sdk')
const nameKey = Buffer.from('name')

/** An envelope with an item of one of these types is answered with an id. */
const eventLike: ReadonlySet<string> = new Set([
  'event',
  'transaction',
  'feedback',
  'raw_security',
  'nel',
  'attachment',
])

/**
 * The header's id applies to a single event only: several events with one id would be duplicates.
 */
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
  sdk: string | undefined,
): IntakePlan {
  return {
    events: nothing,
    freeItems: nothing,
    outcomes,
    envelopeId: undefined,
    sentAt: undefined,
    sdk,
    reply: replyTooLarge(item.type === 'event' ? 'event' : 'item', bytesMax),
  }
}

export function unsupportedOne(reason: string, category: Category): OutcomeCount {
  return { outcome: 'unsupported', reason, category, quantity: 1 }
}
