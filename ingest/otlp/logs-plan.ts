/**
 * The plan of one export request: records of error severity become events, a limited number per
 * turn, so that a large batch does not block other requests. All others are counted. Nothing is
 * accepted of a body that is malformed anywhere.
 */
import { hash } from 'node:crypto'
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax, KiB, MiB } from '#schemas/limits.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import { type OtlpAttributes, otlpEventsPerRequestMax } from '#schemas/wire/otlp-log.ts'
import { otlpSdkName } from '#schemas/wire/sdk-name.ts'
import type { IngestContext } from '../context.ts'
import { sdkLabel } from '../envelope/sdk-label.ts'
import type { PlannedBody, PlannedEvent } from '../intake/body-format.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { EventBytes } from './event-bytes.ts'
import { eventOfLog } from './event-of-log.ts'
import type { FoundLogs, FoundRecord } from './found-logs.ts'
import type { LogReader, OtlpEncoding } from './otlp-encoding.ts'
import { replyExported } from './otlp-replies.ts'

/**
 * Bytes of events that are serialised for one request, including events that turn out too large.
 * Every event repeats its resource, so a small body can expand to a multiple of its size. Records
 * beyond the limit are rejected unread.
 */
const writtenBytesMax = 48 * MiB
/** Limit for a record in the body. Most of a record is names, so its event may be smaller. */
const recordBytesMax = 4 * eventBytesMax
/** Work of one turn: this number of records, or this number of bytes of events. */
const recordsPerTurnMax = 64
const bytesPerTurnMax = 512 * KiB

type PlanContext = Pick<IngestContext, 'newEventId' | 'unsupportedTypes'>

export class LogsPlan {
  readonly #ctx: PlanContext
  readonly #key: Pick<DsnKey, 'projectId'>
  readonly #encoding: OtlpEncoding
  readonly #found: FoundLogs
  #reader: LogReader
  readonly #events: PlannedEvent[] = []
  readonly #bytes = new EventBytes()
  /** Number of records by id, to distinguish equal records. */
  readonly #copies = new Map<EventId, number>()
  #lastSdk: { readonly resource: OtlpAttributes; readonly name: string } | undefined
  #next = 0
  #writtenBytes = 0
  #tooLarge = 0
  #tooMany = 0

  constructor(
    ctx: PlanContext,
    key: Pick<DsnKey, 'projectId'>,
    source: { readonly encoding: OtlpEncoding; readonly found: FoundLogs; readonly bytes: Buffer },
  ) {
    this.#ctx = ctx
    this.#key = key
    this.#encoding = source.encoding
    this.#found = source.found
    this.#reader = source.encoding.reader(source.bytes)
  }

  /** Reads the remaining records from `bytes`, which equal those that were scanned. */
  continueWith(bytes: Buffer): void {
    this.#reader = this.#encoding.reader(bytes)
  }

  /** Plans the records of one turn of the event loop. */
  advance(): 'done' | 'more' | 'malformed' {
    const { records } = this.#found
    const recordEnd = Math.min(records.length, this.#next + recordsPerTurnMax)
    const bytesEnd = this.#writtenBytes + bytesPerTurnMax
    for (; this.#next < recordEnd && this.#writtenBytes < bytesEnd; this.#next += 1) {
      if (!this.#take(records[this.#next]!)) return 'malformed'
    }
    return this.#next === records.length ? 'done' : 'more'
  }

  /** Returns false when the record is malformed. */
  #take(found: FoundRecord): boolean {
    if (this.#events.length === otlpEventsPerRequestMax) {
      this.#tooMany += 1
      return true
    }
    if (writtenBytesMax <= this.#writtenBytes || recordBytesMax < sizeOf(found)) {
      this.#tooLarge += 1
      return true
    }
    const log = this.#reader.read(found)
    if (log === undefined) return false
    const text = JSON.stringify(eventOfLog(log))
    const sdk = this.#sdkOf(log.resource)
    this.#writtenBytes += text.length
    const range = this.#bytes.append(text)
    if (range === undefined) {
      this.#tooLarge += 1
      return true
    }
    const { timeUnixNano, observedTimeUnixNano } = log.record
    const eventId = this.#idOf(text, timeUnixNano || observedTimeUnixNano)
    this.#events.push({ eventId, sdk, ...range })
    return true
  }

  /** Records of one resource follow each other. */
  #sdkOf(resource: OtlpAttributes): string {
    if (this.#lastSdk?.resource !== resource) {
      this.#lastSdk = { resource, name: sdkLabel(otlpSdkName(resource), undefined) ?? '' }
    }
    return this.#lastSdk.name
  }

  planned(): PlannedBody {
    const events = this.#events
    const outcomes = this.#outcomes()
    const rejected = this.#tooLarge + this.#tooMany
    const rejectedMessage = rejected === 0 ? [] : ['records that are too large or too many']
    return {
      kind: 'planned',
      bytes: this.#bytes.whole(),
      plan: {
        events,
        freeItems: [],
        outcomes,
        envelopeId: undefined,
        sentAt: undefined,
        sdk:
          outcomes.length === 0
            ? undefined
            : this.#sdkOf(this.#reader.readResource(this.#found.resource)),
        reply: this.#reply(rejected, rejectedMessage),
        // After a 429 the exporter would resend the whole batch, including the accepted part.
        replyPartly: (refusedCount) =>
          refusedCount === events.length
            ? undefined
            : this.#reply(rejected + refusedCount, [...rejectedMessage, 'events over the quota']),
      },
    }
  }

  /**
   * Equal records get equal ids, so that a batch that is sent twice is stored once. Equal records
   * within a batch are distinguished by their order. A record without any time cannot be recognised
   * and gets a random id: a second copy is better than a lost error.
   */
  #idOf(text: string, nanos: bigint): EventId {
    if (nanos === 0n) return this.#ctx.newEventId()
    const id = hashOf(`${this.#key.projectId} ${nanos} ${text}`)
    const copies = this.#copies.get(id) ?? 0
    this.#copies.set(id, copies + 1)
    return copies === 0 ? id : hashOf(`${id} ${copies}`)
  }

  #reply(rejectedCount: number, messages: readonly string[]) {
    const message = `log records were not taken: ${messages.join(', ')}`
    return replyExported(this.#encoding, rejectedCount, message)
  }

  #outcomes(): OutcomeCount[] {
    const outcomes: OutcomeCount[] = []
    if (this.#found.droppedCount > 0) {
      const reason = this.#ctx.unsupportedTypes.reasonFor(this.#key.projectId, 'log')
      const quantity = this.#found.droppedCount
      outcomes.push({ outcome: 'unsupported', reason, category: 'log_item', quantity })
    }
    const common = { outcome: 'rejected', category: 'error' } as const
    if (this.#tooLarge > 0) {
      outcomes.push({ ...common, reason: 'too_large', quantity: this.#tooLarge })
    }
    if (this.#tooMany > 0) {
      outcomes.push({ ...common, reason: 'too_many_items', quantity: this.#tooMany })
    }
    return outcomes
  }
}

/** Size of the record with its resource and scope. */
function sizeOf({ start, end, owner }: FoundRecord): number {
  let size = end - start
  for (const ranges of [owner.resource, owner.scope]) {
    for (const [from, to] of ranges) size += to - from
  }
  return size
}

function hashOf(text: string): EventId {
  return hash('sha256', text, 'hex').slice(0, 32) as EventId
}
