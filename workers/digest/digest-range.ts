/**
 * Turns one range of frames into rows and sums: a pure function of the frames and of the settings that
 * are named with them. No clock, no randomness, no look-up: a range that is digested again after a
 * crash gives the same bytes, which is what lets ClickHouse recognise the repeated insert.
 */
import { z } from 'zod'
import { decodeFrame, decodeRecords, FrameError, type RecordView } from '#schemas/bus/frame.ts'
import type { EventId, ProjectId } from '#schemas/ids.ts'
import { categories, outcomes, type RejectReason, unsupportedReason } from '#schemas/outcome.ts'
import { groupEvent } from '../grouping/group-v1.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { writeEventRow } from './event-row.ts'
import { type IssueSum, IssueSums, type ReleaseSum } from './issue-sums.ts'
import { OutcomeTally } from './outcome-tally.ts'
import { RowBinaryWriter } from './row-binary.ts'

export interface RangeInput {
  readonly partition: number
  readonly generation: number
  readonly retentionDays: number
  /** Stream sequence and bytes of each message, in the order of the log. */
  readonly frames: readonly RangeFrame[]
}

export interface RangeFrame {
  readonly streamSeq: number
  readonly bytes: Uint8Array
}

export interface RangeOutput {
  readonly eventRows: Uint8Array<ArrayBuffer>
  readonly eventCount: number
  readonly outcomeRows: Uint8Array<ArrayBuffer>
  readonly outcomeCount: number
  readonly issues: readonly IssueSum[]
  readonly releases: readonly ReleaseSum[]
  readonly deadLetters: readonly DeadLetter[]
}

/** Bytes that no code could digest, kept so that they block nothing and are not lost. */
export interface DeadLetter {
  readonly streamSeq: number
  /** -1 when the frame as a whole is unreadable. */
  readonly recordIndex: number
  readonly projectId: ProjectId | undefined
  readonly reason: string
  readonly detail: string
  readonly bytes: Uint8Array
}

const OutcomeCounts = z
  .array(
    z.object({
      outcome: z.enum(outcomes),
      reason: z.string().max(100),
      category: z.enum(categories),
      quantity: z.number().int().positive(),
    }),
  )
  .max(10_000)

const bytesPerRowGuess = 2048

export function digestRange(input: RangeInput): RangeOutput {
  const range = new RangeDigest(input)
  for (const frame of input.frames) range.digestFrame(frame)
  return range.finish()
}

class RangeDigest {
  readonly #input: RangeInput
  readonly #rows: RowBinaryWriter
  readonly #tally = new OutcomeTally()
  readonly #sums = new IssueSums()
  readonly #deadLetters: DeadLetter[] = []
  #eventCount = 0

  constructor(input: RangeInput) {
    this.#input = input
    const bytes = input.frames.reduce((sum, frame) => sum + frame.bytes.length, 0)
    this.#rows = new RowBinaryWriter(bytes * 2 + bytesPerRowGuess)
  }

  digestFrame({ streamSeq, bytes }: RangeFrame): void {
    let records: RecordView[]
    try {
      records = decodeRecords(decodeFrame(bytes))
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#deadLetters.push({
        streamSeq,
        recordIndex: -1,
        projectId: undefined,
        reason: 'unreadable_frame',
        detail: error.message,
        bytes,
      })
      return
    }
    for (const [recordIndex, record] of records.entries()) {
      this.#digestRecord(record, streamSeq, recordIndex)
    }
  }

  finish(): RangeOutput {
    const outcomeRows = new RowBinaryWriter(1024)
    this.#tally.write(outcomeRows)
    return {
      eventRows: this.#rows.finish(),
      eventCount: this.#eventCount,
      outcomeRows: outcomeRows.finish(),
      outcomeCount: this.#tally.size,
      issues: this.#sums.issues(),
      releases: this.#sums.releases(),
      deadLetters: this.#deadLetters,
    }
  }

  #digestRecord(record: RecordView, streamSeq: number, recordIndex: number): void {
    const rowsBytes = this.#rows.byteLength
    try {
      switch (record.kind) {
        case 'event':
          this.#digestEvent(record, streamSeq, recordIndex)
          return
        case 'outcomes':
          this.#digestOutcomes(record)
          return
        case 'session':
        case 'check_in':
        case 'client_report':
        case 'feedback':
          throw new Error(`records of kind ${record.kind} are not expected on the bus`)
      }
    } catch (error) {
      // Whatever a record does to our code, it ends in an outcome and blocks no other record.
      this.#rows.truncate(rowsBytes)
      this.#deadLetters.push({
        streamSeq,
        recordIndex,
        projectId: record.projectId,
        reason: 'undigestible',
        detail: error instanceof Error ? error.message : String(error),
        bytes: record.payload,
      })
      if (record.kind === 'event') this.#reject(record, 'undigestible')
    }
  }

  #digestEvent(record: RecordView, streamSeq: number, recordIndex: number): void {
    const normalized = normalizeEvent({
      payload: record.payload,
      eventId: record.recordId as EventId,
      receivedAtMs: record.receivedAtMs,
      ...(record.header.sent_at === undefined ? {} : { sentAt: record.header.sent_at }),
      ...(record.address === undefined ? {} : { address: record.address }),
      ...(record.header.component === undefined ? {} : { component: record.header.component }),
      ...(record.header.client === undefined ? {} : { client: record.header.client }),
    })
    if (normalized.kind === 'rejected') {
      this.#reject(record, normalized.reason)
      return
    }
    if (normalized.kind === 'unsupported') {
      const reason = unsupportedReason(normalized.itemType)
      const category = normalized.itemType
      this.#tally.add({ ...outcomeOrigin(record), outcome: 'unsupported', reason, category }, 1)
      return
    }
    const { event } = normalized
    const grouping = groupEvent(event)
    const { partition, generation, retentionDays } = this.#input
    writeEventRow(this.#rows, event, grouping, {
      projectId: record.projectId,
      dsnKeyNo: record.dsnKeyNo,
      retentionDays,
      partition,
      generation,
      streamSeq,
      recordIndex,
    })
    // Nothing below may throw after it has changed a sum: the row above can be taken back, a sum cannot.
    this.#sums.add(record.projectId, event, grouping)
    this.#eventCount += 1
    this.#tally.add(
      { ...outcomeOrigin(record), outcome: 'accepted', reason: '', category: 'error' },
      1,
    )
  }

  #digestOutcomes(record: RecordView): void {
    const counts = OutcomeCounts.parse(JSON.parse(Buffer.from(record.payload).toString('utf8')))
    for (const { outcome, reason, category, quantity } of counts) {
      this.#tally.add({ ...outcomeOrigin(record), outcome, reason, category }, quantity)
    }
  }

  #reject(record: RecordView, reason: RejectReason): void {
    this.#tally.add({ ...outcomeOrigin(record), outcome: 'rejected', reason, category: 'error' }, 1)
  }
}

function outcomeOrigin(record: RecordView) {
  return {
    projectId: record.projectId,
    dsnKeyNo: record.dsnKeyNo,
    component: record.header.component ?? '',
    receivedAtMs: record.receivedAtMs,
  }
}
