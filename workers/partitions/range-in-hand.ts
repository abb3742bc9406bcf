/**
 * A range from the log to its digest: what was decided about its frames and records is decided once and kept through every
 * further attempt. Inserts nothing and commits nothing. A range that a predecessor planned is digested with the settings of the plan,
 * and must come out as planned.
 */
import { crc32 } from 'node:zlib'
import type { Logger } from '#platform/logger.ts'
import {
  decodeFrame,
  type Frame,
  FrameError,
  type RecordIdentity,
  visitRecordIds,
} from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { rangeBytesMax } from '#schemas/limits.ts'
import { type DuplicateSearch, findDuplicates } from '../dedup/find-duplicates.ts'
import type { IdWindow } from '../dedup/id-window.ts'
import type { RangeInput, RangeOutput, RangeSettings } from '../digest/digest-range.ts'
import { recordOrdinal } from '../digest/record-ordinal.ts'
import { findCulprits } from './find-culprits.ts'
import type { FrameArrival, FrameProgress } from './frame-progress.ts'
import type { Cursor, Digest, LogMessage, RangePlan, RangeStore, RowStore } from './ports.ts'

export interface DigestContext {
  readonly ranges: Pick<RangeStore, 'itemIdsAmong' | 'readBrakes' | 'readFloods' | 'readSettings'>
  readonly rows: Pick<RowStore, 'knownIds'>
  readonly digest: Digest
  readonly log: Logger
  readonly retentionDays: number
  readonly partitionCount: number
}

export interface DigestPlace {
  readonly cursor: Cursor
  readonly window: IdWindow
  /** Ends a long search. */
  readonly stop: AbortSignal
}

/** Of a range as large as they come; a smaller one gets its share, and never less than the second. */
const digestTimeoutMs = 60_000
const digestTimeoutMinMs = 10_000
/** So often a range may fail before one of its records is looked for. */
const digestAttempts = 3
/** So often the records of a single frame may fail together and not one by one. */
const vainSearchesMax = 3
const secondsPerWeek = 7 * 86_400
/** 1970 began on a Thursday. */
const firstMonday = 4 * 86_400

export class RangeInHand {
  commitTried = false
  readonly startedMs: number
  readonly repeatedCount: number
  readonly refusedCount: number
  /** Frames of another installation, which are not digested. Their own ingest still has them in its write-ahead log. */
  readonly foreign: readonly ForeignFrame[]
  /** As it will be when the range is committed. */
  readonly progress: FrameProgress
  readonly #messages: readonly LogMessage[]
  readonly #fresh: readonly LogMessage[]
  readonly #predecessorsPlan: RangePlan | undefined
  #found: DuplicateSearch | undefined
  #settings: RangeSettings | undefined
  #output: RangeOutput | undefined
  #failures = 0
  #vainSearches = 0

  constructor(
    messages: readonly LogMessage[],
    progress: FrameProgress,
    plan: RangePlan | undefined,
    startedMs: number,
    installationMark = 0,
  ) {
    this.#messages = messages
    this.#predecessorsPlan = plan
    this.startedMs = startedMs
    this.progress = progress.copy()
    const arrivals = messages.map((message) => arrivalOf(message, this.progress, installationMark))
    this.#fresh = messages.filter((_, index) => arrivals[index] === 'fresh')
    this.repeatedCount = arrivals.filter((arrival) => arrival === 'repeated').length
    this.refusedCount = arrivals.filter((arrival) => arrival === 'refused').length
    this.foreign = messages.flatMap((message, index) =>
      arrivals[index] === 'foreign' ? describeForeign(message) : [],
    )
  }

  /** What was found of copies, once the range was digested. */
  get found(): DuplicateSearch {
    if (this.#found === undefined) throw new Error('the range was not digested')
    return this.#found
  }

  /**
   * `not_alike`: a predecessor's plan does not fit what comes out. `too_much`: no single record is to blame, so the range has
   * to become smaller. Throws when it is worth another attempt.
   */
  async digest(
    ctx: DigestContext,
    place: DigestPlace,
  ): Promise<RangeOutput | 'not_alike' | 'too_much'> {
    if (this.#output !== undefined) return this.#output
    const { cursor, window } = place
    this.#found ??= await findDuplicates(this.#fresh, window, async (ids) => {
      const events = await ctx.rows.knownIds.among(cursor, ids)
      const items = await ctx.ranges.itemIdsAmong(cursor.partition, ids)
      return ids.map((_, index) => events[index] === true || items[index] === true)
    })
    this.#settings ??= await this.#readSettings(ctx)
    const input: RangeInput = {
      ...this.#settings,
      partition: cursor.partition,
      generation: cursor.generation,
      frames: this.#fresh,
      duplicates: this.#found.duplicates,
      repeated: this.#found.repeated,
    }
    let output: RangeOutput
    try {
      output = await ctx.digest(input, timeoutFor(this.#fresh))
    } catch (error) {
      this.#failures += 1
      if (this.#failures < digestAttempts) throw error
      // Whoever planned this did digest it, with another program or with more room than there is now.
      if (this.#predecessorsPlan !== undefined) return 'not_alike'
      const culprits = await this.#findCulprits(ctx, input, place.stop)
      if (culprits.length === 0) {
        if (this.#messages.length > 1) return 'too_much'
        this.#vainSearches += 1
        // Threads may have died of something else, so that all of a frame is given up only after several rounds of this.
        if (this.#vainSearches < vainSearchesMax) throw error
      }
      if (!this.#setAside(culprits.length > 0 ? culprits : ordinalsOf(this.#fresh))) throw error
      return this.digest(ctx, place)
    }
    if (this.#predecessorsPlan !== undefined && !isAlike(output, this.#predecessorsPlan)) {
      return 'not_alike'
    }
    this.#output = output
    return output
  }

  /** Only after the digest. */
  toPlan(): RangePlan {
    const last = this.#messages.at(-1)
    const { outcomeRows, eventRows } = this.#output ?? {}
    if (last === undefined || outcomeRows === undefined || eventRows === undefined) {
      throw new Error('only a range that was digested can be planned')
    }
    return {
      plannedSeq: last.streamSeq,
      settings: { ...this.#settings!, rowsHash: hashOf(eventRows), weeks: weeksOf(this.found) },
      outcomeRows,
    }
  }

  halves(): [readonly LogMessage[], readonly LogMessage[]] {
    const middle = Math.ceil(this.#messages.length / 2)
    return [this.#messages.slice(0, middle), this.#messages.slice(middle)]
  }

  async #readSettings(ctx: DigestContext): Promise<RangeSettings> {
    if (this.#predecessorsPlan !== undefined) {
      const { rowsHash: _, weeks: __, ...settings } = this.#predecessorsPlan.settings
      return settings
    }
    const projects = projectsOf(this.#fresh)
    const [issueEventsPerMinute, projectSettings, floods] = await Promise.all([
      ctx.ranges.readBrakes(projects),
      ctx.ranges.readSettings(projects),
      ctx.ranges.readFloods(projects),
    ])
    const { retentionDays, partitionCount } = ctx
    return {
      retentionDays,
      partitionCount,
      issueEventsPerMinute,
      projectSettings,
      floods,
      setAside: [],
    }
  }

  async #findCulprits(
    ctx: DigestContext,
    input: RangeInput,
    stop: AbortSignal,
  ): Promise<readonly number[]> {
    const suspects = ordinalsOf(this.#fresh)
    ctx.log.error(
      { code: 'range_undigestible', partition: input.partition, recordCount: suspects.length },
      'No thread survives a range; the record that is to blame is looked for.',
    )
    const timeoutMs = timeoutFor(this.#fresh)
    const culprits = await findCulprits(
      input,
      suspects,
      (attempt, share) => ctx.digest(attempt, Math.max(digestTimeoutMinMs, timeoutMs * share)),
      stop,
    )
    this.#failures = 0
    return culprits
  }

  /** False: these were set aside already. */
  #setAside(ordinals: readonly number[]): boolean {
    const before = this.#settings?.setAside ?? []
    const setAside = [...new Set([...before, ...ordinals])].sort((a, b) => a - b)
    this.#settings = { ...this.#settings!, setAside }
    return setAside.length > before.length
  }
}

/** A frame that cannot be read has no number; the digest keeps it as a dead letter. */
function arrivalOf(
  { bytes }: LogMessage,
  progress: FrameProgress,
  ownMark: number,
): FrameArrival | 'foreign' {
  const frame = readFrame(bytes)
  if (frame === undefined) return 'fresh'
  const { installationMark: mark } = frame
  // 0 on either side: an earlier version, or a test, which knows of no installations.
  if (mark !== 0 && ownMark !== 0 && mark !== ownMark) return 'foreign'
  return progress.add(frame.bootId, frame.counter)
}

export interface ForeignFrame {
  readonly streamSeq: number
  readonly instanceId: string
  readonly installationMark: number
  readonly recordCount: number
}

function describeForeign({ streamSeq, bytes }: LogMessage): ForeignFrame[] {
  const frame = readFrame(bytes)
  if (frame === undefined) return []
  const { bootId: instanceId, installationMark, recordCount } = frame
  return [{ streamSeq, instanceId, installationMark, recordCount }]
}

function projectsOf(messages: readonly LogMessage[]): ProjectId[] {
  const projects = new Set<ProjectId>()
  for (const { bytes } of messages) {
    visitReadable(bytes, ({ kind, projectId }) => {
      if (kind === 'event' || kind === 'feedback' || kind === 'session') projects.add(projectId)
    })
  }
  return [...projects].sort((a, b) => a - b)
}

/** Every record, in the order of the log. */
function ordinalsOf(messages: readonly LogMessage[]): number[] {
  const ordinals: number[] = []
  for (const [frameIndex, { bytes }] of messages.entries()) {
    let recordIndex = 0
    visitReadable(bytes, () => ordinals.push(recordOrdinal(frameIndex, recordIndex++)))
  }
  return ordinals
}

function visitReadable(bytes: Uint8Array, visit: (record: RecordIdentity) => void): void {
  const frame = readFrame(bytes)
  if (frame === undefined) return
  try {
    visitRecordIds(frame, visit)
  } catch (error) {
    if (!(error instanceof FrameError)) throw error
  }
}

function readFrame(bytes: Uint8Array): Frame | undefined {
  try {
    return decodeFrame(bytes)
  } catch (error) {
    if (error instanceof FrameError) return undefined
    throw error
  }
}

function timeoutFor(messages: readonly LogMessage[]): number {
  const byteLength = messages.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return Math.max(digestTimeoutMinMs, (digestTimeoutMs * byteLength) / rangeBytesMax)
}

function isAlike({ eventRows, outcomeRows }: RangeOutput, plan: RangePlan): boolean {
  const { rowsHash } = plan.settings
  return hashOf(eventRows) === rowsHash && Buffer.compare(outcomeRows, plan.outcomeRows) === 0
}

/** Tells rows apart that differ by accident; nobody can choose them. */
function hashOf(rows: Uint8Array): string {
  return `${rows.length}:${crc32(rows).toString(16)}`
}

/** The Mondays of the weeks in which the range's events were received. */
function weeksOf({ candidates, fingerprints }: DuplicateSearch): number[] {
  const weeks = new Set<number>()
  for (let at = 0; at < candidates.length; at += 1) {
    const second = fingerprints[at * 4 + 3]!
    weeks.add(second - ((second - firstMonday + secondsPerWeek) % secondsPerWeek))
  }
  return [...weeks].sort((a, b) => a - b)
}
