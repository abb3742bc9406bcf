/**
 * Turns one range of frames into rows and sums. It is a pure function of the frames and the
 * settings given with them: a range that is digested again after a crash gives the same bytes, so
 * ClickHouse recognises the repeated insert.
 */
import { decodeFrame, decodeRecords, FrameError, type RecordView } from '#schemas/bus/frame.ts'
import type { EventId } from '#schemas/ids.ts'
import { type RejectReason, unsupportedReason } from '#schemas/outcome.ts'
import { storedText } from '#schemas/stored-text.ts'
import { FiltersByProject } from '../alerts/filters/match-filters.ts'
import { type DeadLetter, deadRecord } from '../dead-letters/dead-letter.ts'
import { filteredReason } from '../filters/filter-event.ts'
import { judgeEvent } from '../filters/judge-event.ts'
import { groupRuled } from '../grouping/group-v1.ts'
import type { Grouping } from '../grouping/grouping.ts'
import { storeRuledFrames } from '../grouping/rules/store-ruled-frames.ts'
import { IssueRulesByProject } from '../issue-owners/issue-rules.ts'
import { PassedMinutes } from '../monitors/passed-minutes.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { KnownFrames } from '../normalize/known-frames/known-frames.ts'
import { KnownModules } from '../normalize/plain-data/known-modules.ts'
import type { PlaceOf } from '../places/place.ts'
import { type EventPosition, writeEventRow, writeSampledEvents } from '../rows/event-row.ts'
import { RowBinaryWriter } from '../rows/row-binary.ts'
import { Stacks } from '../rows/stacks.ts'
import { BurstingKinds } from './bursting-kinds.ts'
import { countDropped } from './count-dropped.ts'
import { categoryOf, type FreeRecord, FreeRecords } from './free-records.ts'
import { IssueSampler, type Sample } from './issue-sampler.ts'
import { IssueSums } from './issue-sums.ts'
import { LeaseTally } from './lease-tally.ts'
import { type OutcomeKey, OutcomeTally, parseOutcomeCounts } from './outcome-tally.ts'
import { type ProjectRules, RulesByProject } from './project-rules.ts'
import type { RangeFrame, RangeInput, RangeOutput } from './range.ts'
import { RecordFates } from './record-fates.ts'
import { recordOrdinal } from './record-ordinal.ts'

/** Of all ranges of this thread. */
const knownFrames = new KnownFrames()
const knownModules = new KnownModules()
const bytesPerRowGuess = 2048
/**
 * Bytes of rows for a byte of frames, by the last range: a buffer that fits is neither copied nor
 * larger than needed.
 */
let rowBytesPerByte = 2
const rowBytesPerByteMax = 4
const rowBytesMargin = 1.1
const deadLetterDetailCharactersMax = 2_000

/** @param placeOf finds places of addresses; no sum and no count depends on it. */
export function digestRange(input: RangeInput, placeOf?: PlaceOf): RangeOutput {
  const range = new RangeDigest(input, placeOf)
  for (const [frameIndex, frame] of input.frames.entries()) range.digestFrame(frame, frameIndex)
  return range.finish()
}

class RangeDigest {
  readonly #input: RangeInput
  readonly #placeOf: PlaceOf | undefined
  readonly #frameBytes: number
  readonly #rows: RowBinaryWriter
  readonly #stacks = new Stacks()
  readonly #tally = new OutcomeTally()
  readonly #sums: IssueSums
  readonly #leases = new LeaseTally()
  readonly #sampler: IssueSampler
  readonly #bursts: BurstingKinds
  readonly #fates: RecordFates
  readonly #rules: RulesByProject
  readonly #issueRules: IssueRulesByProject
  readonly #alertFilters: FiltersByProject
  readonly #free: FreeRecords
  readonly #minutes = new PassedMinutes()
  readonly #deadLetters: DeadLetter[] = []
  readonly #accepted: number[] = []
  #eventCount = 0
  #duplicateCount = 0
  readonly #ownEventIds: string[] = []
  readonly #retriedDeadLetterIds: number[] = []

  constructor(input: RangeInput, placeOf: PlaceOf | undefined) {
    this.#input = input
    this.#placeOf = placeOf
    const bytes = input.frames.reduce((sum, frame) => sum + frame.bytes.length, 0)
    this.#frameBytes = bytes
    this.#rows = new RowBinaryWriter(Math.ceil(bytes * rowBytesPerByte) + bytesPerRowGuess)
    this.#sampler = new IssueSampler(input)
    this.#bursts = new BurstingKinds(input.bursts ?? [])
    this.#fates = new RecordFates(input)
    this.#rules = new RulesByProject(input.projectSettings ?? [])
    this.#issueRules = new IssueRulesByProject(input.issueRules ?? [])
    this.#alertFilters = new FiltersByProject(input.alertFilters ?? [])
    this.#sums = new IssueSums(this.#alertFilters)
    this.#free = new FreeRecords(this.#tally, this.#rules, input.retentionDays)
  }

  digestFrame({ streamSeq, bytes }: RangeFrame, frameIndex: number): void {
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
        detail: storedText(error.message, deadLetterDetailCharactersMax),
        bytes,
      })
      return
    }
    for (const [recordIndex, record] of records.entries()) {
      const ordinal = recordOrdinal(frameIndex, recordIndex)
      this.#minutes.add(record.receivedAtMs)
      this.#digestRecord(record, { streamSeq, recordIndex, ordinal })
    }
  }

  finish(): RangeOutput {
    for (const sample of this.#sampler.rest()) this.#writeSample(sample)
    const outcomeRows = new RowBinaryWriter(1024)
    this.#tally.write(outcomeRows)
    const guess = (this.#rows.byteLength / this.#frameBytes) * rowBytesMargin
    if (guess > 0) rowBytesPerByte = Math.min(guess, rowBytesPerByteMax)
    return {
      eventRows: this.#rows.finish(),
      eventCount: this.#eventCount,
      outcomeRows: outcomeRows.finish(),
      outcomeCount: this.#tally.size,
      issues: this.#sums.issues(),
      releases: this.#sums.releases(),
      deadLetters: this.#deadLetters,
      sessionRows: this.#free.sessions.rows(),
      sessionSums: this.#free.sessions.sums(),
      sessionReleases: this.#free.sessions.releases(),
      itemIds: this.#free.itemIds,
      feedback: this.#free.feedback,
      attachments: this.#free.attachments,
      checkIns: this.#free.checkIns,
      minutes: this.#minutes.list(),
      acceptedRecords: Uint32Array.from(this.#accepted),
      duplicateCount: this.#duplicateCount,
      dropped: countDropped(this.#tally.counts()),
      ownEventIds: this.#ownEventIds,
      retriedDeadLetterIds: this.#retriedDeadLetterIds,
      leases: this.#leases.counts(),
      alertEventsSkipped: this.#alertFilters.skipped(),
    }
  }

  #digestRecord(record: RecordView, place: RecordPlace): void {
    // Neither a row, an outcome nor a dead letter may appear for a deleted project.
    if (this.#rules.of(record.projectId).isDeleted) return
    const rowsBytes = this.#rows.byteLength
    this.#reverseOutcome(record)
    try {
      switch (record.kind) {
        case 'event':
          this.#digestEvent(record, place)
          return
        case 'outcomes':
          if (this.#fates.isSetAside(place.ordinal))
            throw new Error(this.#input.setAsideDetail ?? setAsideDetailDefault)
          this.#digestOutcomes(record)
          return
        case 'session':
        case 'check_in':
        case 'client_report':
        case 'feedback':
        case 'attachment':
          this.#digestFree({ ...record, kind: record.kind }, place.ordinal)
          return
      }
    } catch (error) {
      // A record that makes our code throw still ends in one outcome and blocks no other record.
      this.#rows.truncate(rowsBytes)
      this.#stacks.forget()
      this.#deadLetters.push({
        streamSeq: place.streamSeq,
        recordIndex: place.recordIndex,
        projectId: record.projectId,
        reason: 'undigestible',
        detail: storedText(
          error instanceof Error ? error.message : String(error),
          deadLetterDetailCharactersMax,
        ),
        bytes: record.payload,
        record: deadRecord(record, this.#rules.of(record.projectId)),
      })
      if (record.kind !== 'outcomes') this.#reject(record, 'undigestible')
    }
  }

  /**
   * A retried record was counted when it became a dead letter. That count is subtracted here and
   * the new outcome is counted as usual, so each item still has exactly one outcome. Records of
   * kind `outcomes` were not counted when they became dead letters.
   */
  #reverseOutcome(record: RecordView): void {
    const { retry } = record.header
    if (retry === undefined) return
    this.#retriedDeadLetterIds.push(retry.dead_letter)
    if (record.kind === 'outcomes') return
    const category = categoryOf(record)
    this.#count(record, { outcome: 'rejected', reason: retry.reason, category }, -1)
  }

  #digestFree(record: FreeRecord, ordinal: number): void {
    // mutant: find-item-copy
    const category = categoryOf(record)
    if (this.#fates.isDuplicate(record, ordinal)) {
      this.#duplicateCount += 1
      // mutant: count-duplicate-item
      this.#count(record, { outcome: 'duplicate', reason: '', category })
      return
    }
    if (this.#fates.isSetAside(ordinal))
      throw new Error(this.#input.setAsideDetail ?? setAsideDetailDefault)
    const fate = this.#free.take(record)
    if (fate.kind === 'rejected') {
      this.#reject(record, fate.reason)
      return
    }
    // mutant: enter-accepted-items
    if (fate.kind === 'kept') {
      this.#accepted.push(ordinal)
      this.#fates.accepted(record, ordinal)
    }
    this.#count(record, { outcome: 'accepted', reason: '', category })
  }

  #digestEvent(record: RecordView, { streamSeq, recordIndex, ordinal }: RecordPlace): void {
    if (record.dsnKeyNo === 0) this.#ownEventIds.push(record.recordId)
    const lease = this.#leases.add(record)
    if (this.#fates.isDuplicate(record, ordinal)) {
      this.#duplicateCount += 1
      // mutant: count-duplicate-event
      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })
      return
    }
    if (this.#fates.isSetAside(ordinal))
      throw new Error(this.#input.setAsideDetail ?? setAsideDetailDefault)
    const rules = this.#rules.of(record.projectId)
    const { address } = record
    const fate = judgeEvent(
      {
        payload: record.payload,
        eventId: record.recordId as EventId,
        receivedAtMs: record.receivedAtMs,
        ...(record.header.sent_at === undefined ? {} : { sentAt: record.header.sent_at }),
        ...(address === undefined || rules.removesAddresses ? {} : { address }),
        ...(record.header.component === undefined ? {} : { component: record.header.component }),
        ...(record.header.client === undefined ? {} : { client: record.header.client }),
        ...this.#placing(rules, address),
        scrub: rules.scrub,
        ...(rules.sharesFrames ? { knownFrames } : {}),
        knownModules,
        ...(rules.plainRules === undefined ? {} : { plainRules: rules.plainRules }),
      },
      rules.filters,
    )
    // mutant: reject-event
    if (fate.kind === 'rejected') {
      this.#reject(record, fate.reason)
      return
    }
    if (fate.kind === 'unsupported') {
      const reason = unsupportedReason(fate.itemType)
      this.#count(record, { outcome: 'unsupported', reason, category: fate.itemType })
      return
    }
    if (fate.kind === 'filtered') {
      const reason = filteredReason(fate.filter.name)
      this.#count(record, { outcome: 'filtered', reason, category: 'error' })
      return
    }
    const ruled = rules.grouping?.apply(fate.event)
    const event = storeRuledFrames(fate.event, ruled)
    const { projectId, dsnKeyNo } = record
    const { partition, generation } = this.#input
    const retentionDays = rules.retentionDays ?? this.#input.retentionDays
    const { receivedAtMs } = record
    const grouping = this.#bursts.regroup(groupRuled(fate.event, ruled), projectId, receivedAtMs)
    this.#store(event, grouping, {
      projectId,
      dsnKeyNo,
      retentionDays,
      partition,
      generation,
      streamSeq,
      recordIndex,
    })
    lease.accepted += 1
    this.#eventCount += 1
    this.#accepted.push(ordinal)
    this.#fates.accepted(record, ordinal)
    this.#count(record, { outcome: 'accepted', reason: '', category: 'error' })
  }

  #placing({ keepsPlaces }: ProjectRules, address: string | undefined) {
    if (this.#placeOf === undefined || !keepsPlaces) return undefined
    return { placeOf: this.#placeOf, ...(address === undefined ? {} : { connection: address }) }
  }

  #store(event: NormalizedEvent, grouping: Grouping, position: EventPosition): void {
    const { eventId, receivedAtMs } = event
    const { projectId } = position
    const { hash } = grouping.hashes[0]
    const sampled = { projectId, hash, receivedAtMs, eventId }
    const place = this.#sampler.placeOf(sampled)
    const rowStart = this.#rows.byteLength
    if (place !== 'in_sample') {
      const stack = this.#stacks.take(projectId, hash, event)
      writeEventRow(this.#rows, event, { grouping, position, stack })
    }
    if (place === 'own_row') writeSampledEvents(this.#rows, noEvents)
    const row = place === 'sample_row' ? this.#rows.cut(rowStart) : undefined
    // The code below must not throw after it has changed a sum: a row can be truncated, a sum
    // cannot.
    const sampledCount = place === 'in_sample' ? 1 : 0
    const context = this.#issueRules.contextOf(projectId, event, sampledCount)
    this.#sums.add(projectId, event, grouping, context)
    const sample = this.#sampler.add(sampled, row)
    if (sample !== undefined) this.#writeSample(sample)
  }

  #writeSample(sample: Sample): void {
    this.#rows.append(sample.row)
    writeSampledEvents(this.#rows, sample)
  }

  #digestOutcomes(record: RecordView): void {
    for (const { quantity, ...fate } of parseOutcomeCounts(record.payload))
      this.#count(record, fate, quantity)
  }

  #reject(record: RecordView, reason: RejectReason): void {
    this.#count(record, { outcome: 'rejected', reason, category: categoryOf(record) })
  }

  #count(
    { projectId, dsnKeyNo, header: { component = '', sdk = '' }, receivedAtMs }: RecordView,
    { outcome, reason, category }: Fate,
    quantity = 1,
  ): void {
    const key = { projectId, dsnKeyNo, component, sdk, receivedAtMs, outcome, reason, category }
    this.#tally.add(key, quantity)
  }
}

type Fate = Pick<OutcomeKey, 'outcome' | 'category'> & { readonly reason: string }

/** Position of a record in the stream and in the range. */
interface RecordPlace {
  readonly streamSeq: number
  readonly recordIndex: number
  readonly ordinal: number
}

const setAsideDetailDefault = 'the record made its range fail repeatedly'
const noEvents = { ids: [], receivedAtMs: [] }
