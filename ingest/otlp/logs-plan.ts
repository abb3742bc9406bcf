/**
 * The plan of one export request: the records that a scan has found become events, some at a time so that a batch of thousands
 * keeps nobody waiting; all others are counted. Nothing is taken of a body that is malformed anywhere.
 */
import { hash } from 'node:crypto'
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax, KiB, MiB } from '#schemas/limits.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import { otlpEventsPerRequestMax } from '#schemas/wire/otlp-log.ts'
import type { IngestContext } from '../context.ts'
import type { PlannedBody, PlannedEvent } from '../intake/body-format.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { EventBytes } from './event-bytes.ts'
import { eventOfLog } from './event-of-log.ts'
import type { FoundLogs, FoundRecord } from './found-logs.ts'
import type { LogReader, OtlpEncoding } from './otlp-encoding.ts'
import { replyExported } from './otlp-replies.ts'

/**
 * Events of one request that are written at all, those included that are too large to be taken: a resource stands in each of
 * them, so a body can ask for far more than it holds. What comes after is refused unread.
 */
const writtenBytesMax = 48 * MiB
/** Of a record as it stands in the body; most of that is names, so the event may still be smaller. */
const recordBytesMax = 4 * eventBytesMax
/** Work of one turn: so many records, or so many bytes of events. */
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
  /** How often a record was seen that is equal to another in everything. */
  readonly #copies = new Map<EventId, number>()
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

  /** False when the record is malformed. */
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
    this.#writtenBytes += text.length
    const range = this.#bytes.append(text)
    if (range === undefined) {
      this.#tooLarge += 1
      return true
    }
    const { timeUnixNano, observedTimeUnixNano } = log.record
    this.#events.push({ eventId: this.#idOf(text, timeUnixNano || observedTimeUnixNano), ...range })
    return true
  }

  planned(): PlannedBody {
    const events = this.#events
    const rejected = this.#tooLarge + this.#tooMany
    const rejectedMessage = rejected === 0 ? [] : ['records that are too large or too many']
    return {
      kind: 'planned',
      bytes: this.#bytes.whole(),
      plan: {
        events,
        freeItems: [],
        outcomes: this.#outcomes(),
        envelopeId: undefined,
        sentAt: undefined,
        sdk: undefined,
        reply: this.#reply(rejected, rejectedMessage),
        // The exporter would send all of it again after a 429, the part that was kept too.
        replyPartly: (refusedCount) =>
          refusedCount === events.length
            ? undefined
            : this.#reply(rejected + refusedCount, [...rejectedMessage, 'events over the quota']),
      },
    }
  }

  /**
   * The same record gives the same id, so that an exporter that sends a batch again stores nothing twice. Equal records of one
   * batch are told apart by their order. Without any time a record is not told from the next of its kind, and
   * has an id of its own: a second copy is better than an error that is lost.
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

/** With what it belongs to, as far as that stands in the event. */
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
