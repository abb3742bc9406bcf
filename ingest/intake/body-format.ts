/**
 * The contract of an endpoint's body format: it converts a body to a plan, which decides about each
 * item. Authentication, size limits, content encodings, quota and frames are the same for all
 * formats (`intake/advance.ts`).
 */
import type { EventId } from '#schemas/ids.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { FreeKind } from '#schemas/wire/item-types.ts'
import type { KeptAttachment, PlannedAttachment } from '../attachments/planned-attachment.ts'
import type { IngestContext } from '../context.ts'
import type { Reply } from '../http/replies.ts'
import type { DsnKey } from '../keys/key-cache.ts'

export interface BodyFormat {
  /** The body begins with the header of an envelope, whose `dsn` may name the key. */
  readonly mayHoldDsn: boolean
  /** Counts a body that it refuses. Counts nothing of a body that it plans. */
  plan(
    ctx: IngestContext,
    sender: Sender,
    bytes: Buffer,
  ): PlannedBody | RefusedBody | UnfinishedBody
  /** Translates a reply for protocols that do not use the JSON replies of the envelope endpoint. */
  translate?(reply: Reply): Reply
}

export interface Sender {
  readonly key: DsnKey
  /**
   * Name and version of the SDK from the credentials, or from what a format reads in the body of a
   * request without them; empty when unknown.
   */
  readonly client: string
}

export interface PlannedBody {
  readonly kind: 'planned'
  readonly plan: IntakePlan
  /** The plan's events and items are ranges of these bytes. */
  readonly bytes: Buffer
}

export interface RefusedBody {
  readonly kind: 'refused'
  readonly reply: Reply
}

/** The plan takes more work than fits into one turn of the event loop. */
export interface UnfinishedBody {
  readonly kind: 'unfinished'
  /**
   * Continues over several turns. `bytes` equal those that were planned, and must not change until
   * this settles.
   */
  finish(bytes: Buffer): Promise<PlannedBody | RefusedBody>
}

export interface IntakePlan {
  readonly events: readonly PlannedEvent[]
  readonly freeItems: readonly PlannedItem[]
  readonly outcomes: readonly OutcomeCount[]
  /** Files of a project that keeps them; absent when there are none. */
  readonly attachments?: readonly PlannedAttachment[]
  /** Those of them that are in the object store. */
  readonly keptAttachments?: readonly KeptAttachment[]
  /** `event_id` of the envelope. */
  readonly envelopeId: EventId | undefined
  readonly sentAt: string | undefined
  /** Name and version of the SDK from the body. The credentials come first. */
  readonly sdk: string | undefined
  /** The reply when no event is refused by quota. */
  readonly reply: Reply
  /** The reply when quota refused some of the events. Undefined, or absent: 429. */
  replyPartly?(refusedCount: number): Reply | undefined
}

/** One event, `bytes[start, end)`. */
export interface PlannedEvent {
  readonly eventId: EventId
  /** The event's own SDK, in bodies that hold events of several SDKs. */
  readonly sdk?: string
  readonly start: number
  readonly end: number
}

/** One item that costs no quota, `bytes[start, end)`. */
export interface PlannedItem {
  readonly kind: FreeKind
  /** The item's own type; several types are of one kind. */
  readonly type: string
  readonly start: number
  readonly end: number
}
