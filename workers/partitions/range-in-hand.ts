/**
 * The range that a partition works on, from its frames to its digest. Decisions about its frames
 * and records are made once and kept for every further attempt. Inserts and commits nothing. A
 * range that a former owner planned is digested with the settings of the plan, and the result must
 * be as planned.
 */

import assert from 'node:assert'
import { crc32 } from 'node:zlib'
import type { Logger } from '#platform/logger.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { rangeBytesMax } from '#schemas/limits.ts'
import { storedText } from '#schemas/stored-text.ts'
import { type AlertRules, filtersForDigest } from '../alerts/alert-rules.ts'
import { type DuplicateSearch, findDuplicates } from '../dedup/find-duplicates.ts'
import type { IdWindow } from '../dedup/id-window.ts'
import type { RangeInput, RangeOutput, RangeSettings } from '../digest/range.ts'
import { findPoisonRecords } from './find-poison-records.ts'
import type { FrameProgress } from './frame-progress.ts'
import {
  type Cursor,
  DataRefusedError,
  type Digest,
  DigestStarvedError,
  FencedError,
  type LogMessage,
  type RangePlan,
  type RangeStore,
  type RowStore,
} from './ports.ts'
import {
  arrivalOf,
  describeForeign,
  type ForeignFrame,
  type Framed,
  ordinalsOf,
  projectsOf,
  withFrame,
} from './range-frames.ts'
import { rehearseRange, StoreAwayError } from './rehearse-range.ts'

export interface DigestContext {
  readonly ranges: Pick<
    RangeStore,
    | 'itemIdsAmong'
    | 'readSamplers'
    | 'readBursts'
    | 'readSettings'
    | 'readIssueRules'
    | 'readAlertRules'
    | 'rehearse'
  >
  readonly rows: Pick<RowStore, 'check' | 'knownIds'>
  readonly digest: Digest
  readonly log: Logger
  readonly retentionDays: number
  readonly layout: IngestLayout
}

export interface DigestPlace {
  readonly cursor: Cursor
  readonly window: IdWindow
  /** Aborts a search, which may take minutes. */
  readonly stop: AbortSignal
  /** Whether both stores are asked, before the range is planned, to accept its rows and sums. */
  readonly isRehearsed: boolean
  /** Throws when a store refuses every record, so that no record of the range is to blame. */
  readonly probe: () => Promise<void>
  /** A message whose records all become dead letters. */
  readonly givenUp?: GivenUpFrame | undefined
}

export interface GivenUpFrame {
  readonly streamSeq: number
  /** The reason, for the dead letters. */
  readonly detail: string
}

/**
 * CPU time for a range of `rangeBytesMax`. A smaller one gets its share, but at least
 * `digestCpuMsMin`.
 */
const digestCpuMsMax = 60_000
const digestCpuMsMin = 10_000
/** Attempts to digest a range before the search for the record that makes it fail. */
const digestAttempts = 3
/**
 * Searches after which all records of a single frame become dead letters, when they fail only
 * together.
 */
const vainSearchesMax = 3
const setAsideDetailCharactersMax = 500
const secondsPerWeek = 7 * 86_400
/** 1970 began on a Thursday. */
const firstMonday = 4 * 86_400

export class RangeInHand {
  commitTried = false
  /** The stores accepted its rows and sums in a rehearsal before it was planned. */
  wasRehearsed = false
  readonly startedMs: number
  readonly repeatedCount: number
  readonly refusedCount: number
  /**
   * Frames of another installation, which are not digested. Their own ingest keeps them in its
   * write-ahead log.
   */
  readonly foreign: readonly ForeignFrame[]
  /** The progress after the commit of the range. */
  readonly progress: FrameProgress
  readonly messages: readonly LogMessage[]
  readonly projects: readonly ProjectId[]
  /** The rules that the range was last digested with. The commit needs the same ones. */
  alertRules: readonly AlertRules[] = []
  readonly #fresh: readonly Framed<LogMessage>[]
  readonly #predecessorsPlan: RangePlan | undefined
  #found: DuplicateSearch | undefined
  #settings: RangeSettings | undefined
  #output: RangeOutput | undefined
  #failures = 0
  #vainSearches = 0
  /** Whether records are set aside because a store refused them. */
  #isRefused = false

  constructor(
    messages: readonly LogMessage[],
    progress: FrameProgress,
    plan: RangePlan | undefined,
    startedMs: number,
    installationMark = 0,
  ) {
    this.messages = messages
    this.#predecessorsPlan = plan
    this.startedMs = startedMs
    this.progress = progress.copy()
    const framed = messages.map(withFrame)
    const arrivals = framed.map(({ frame }) => arrivalOf(frame, this.progress, installationMark))
    // mutant: drop-repeated-frames
    this.#fresh = framed.filter((_, index) => arrivals[index] === 'fresh')
    this.projects = projectsOf(this.#fresh)
    this.repeatedCount = arrivals.filter((arrival) => arrival === 'repeated').length
    this.refusedCount = arrivals.filter((arrival) => arrival === 'refused').length
    this.foreign = framed.flatMap((message, index) =>
      arrivals[index] === 'foreign' ? describeForeign(message) : [],
    )
  }

  /** Stream sequence of the last message. */
  get lastSeq(): number {
    const last = this.messages.at(-1)
    assert(last !== undefined)
    return last.streamSeq
  }

  /** Whether it has frames that were not digested before. */
  get hasFresh(): boolean {
    return this.#fresh.length > 0
  }

  /** Whether a store refused every record of the range. */
  get isAllRefused(): boolean {
    const setAside = new Set(this.#settings?.setAside)
    return this.#isRefused && ordinalsOf(this.#fresh).every((ordinal) => setAside.has(ordinal))
  }

  /** The duplicates that were found. Throws before the range was digested. */
  get found(): DuplicateSearch {
    if (this.#found === undefined) throw new Error('the range was not digested')
    return this.#found
  }

  /**
   * Returns `not_alike` when the result differs from the former owner's plan, and `too_much` when
   * no single record is to blame, so the range has to be split. Throws when a retry may succeed.
   */
  async digest(
    ctx: DigestContext,
    place: DigestPlace,
  ): Promise<RangeOutput | 'not_alike' | 'too_much'> {
    if (this.#output !== undefined) return this.#output
    const { cursor, window } = place
    this.#found ??= await findDuplicates(this.#fresh, window, async (ids) => {
      const events = await ctx.rows.knownIds.among({ ...cursor, layout: ctx.layout }, ids)
      const items = await ctx.ranges.itemIdsAmong(cursor.partition, ids)
      return ids.map((_, index) => events[index] === true || items[index] === true)
    })
    const { projects } = this
    const [settings, issueRules, alertRules] = await Promise.all([
      this.#settings ?? this.#readSettings(ctx, place),
      ctx.ranges.readIssueRules(projects),
      ctx.ranges.readAlertRules(projects),
    ])
    this.alertRules = alertRules
    this.#settings = settings
    const input: RangeInput = {
      ...settings,
      issueRules,
      alertFilters: filtersForDigest(alertRules),
      partition: cursor.partition,
      generation: cursor.generation,
      frames: this.#fresh,
      duplicates: this.#found.duplicates,
      repeated: this.#found.repeated,
    }
    let output: RangeOutput
    try {
      output = await this.#digestOnce(ctx, place, input, cpuMsFor(this.#fresh))
    } catch (error) {
      if (!isToBlame(error)) throw error
      this.#failures += 1
      if (this.#failures < digestAttempts) throw error
      // The former owner did digest it, with another version or with more resources.
      if (this.#predecessorsPlan !== undefined) return 'not_alike'
      if (error instanceof DataRefusedError) {
        await place.probe()
        this.#isRefused = true
      }
      this.#settings = { ...this.#settings, setAsideDetail: detailOf(error) }
      const poisonRecords = await this.#findPoisonRecords(ctx, place, input)
      if (poisonRecords.length === 0) {
        if (this.messages.length > 1) return 'too_much'
        this.#vainSearches += 1
        // Threads may have ended for another reason, so all of a frame is given up only after
        // several searches.
        if (this.#vainSearches < vainSearchesMax) throw error
      }
      if (!this.#setAside(poisonRecords.length > 0 ? poisonRecords : ordinalsOf(this.#fresh)))
        throw error
      return this.digest(ctx, place)
    }
    // mutant: compare-with-plan
    if (this.#predecessorsPlan !== undefined && !isAlike(output, this.#predecessorsPlan)) {
      return 'not_alike'
    }
    this.wasRehearsed = place.isRehearsed && this.#predecessorsPlan === undefined
    this.#output = output
    return output
  }

  /** Throws before the range was digested. */
  toPlan(): RangePlan {
    if (this.#output === undefined || this.#settings === undefined) {
      throw new Error('only a range that was digested can be planned')
    }
    return this.#planOf(this.#output, this.#settings)
  }

  #planOf({ outcomeRows, eventRows }: RangeOutput, settings: RangeSettings): RangePlan {
    return {
      plannedSeq: this.lastSeq,
      settings: { ...settings, rowsHash: hashOf(eventRows), weeks: weeksOf(this.found) },
      outcomeRows,
    }
  }

  /**
   * Throws the error that ended the thread, or `DataRefusedError`. `isToBlame` recognises the
   * errors that no record caused.
   */
  async #digestOnce(
    ctx: DigestContext,
    { cursor, isRehearsed }: DigestPlace,
    input: RangeInput,
    cpuMs: number,
  ): Promise<RangeOutput> {
    const output = await ctx.digest(input, cpuMs)
    // A former owner's plan cannot be changed: if the stores refuse it, it is undone, and the
    // ranges after it are rehearsed.
    // mutant: rehearse-range
    if (isRehearsed && this.#predecessorsPlan === undefined) {
      const plan = this.#planOf(output, { ...this.#settings!, setAside: input.setAside ?? [] })
      const { alertRules } = this
      await rehearseRange(
        ctx,
        { cursor, output, frames: this.progress.changes(), alertRules },
        plan,
      )
    }
    return output
  }

  halves(): [readonly LogMessage[], readonly LogMessage[]] {
    const middle = Math.ceil(this.messages.length / 2)
    return [this.messages.slice(0, middle), this.messages.slice(middle)]
  }

  async #readSettings(ctx: DigestContext, { givenUp }: DigestPlace): Promise<RangeSettings> {
    if (this.#predecessorsPlan !== undefined) {
      const { rowsHash: _, weeks: __, ...settings } = this.#predecessorsPlan.settings
      return settings
    }
    const { projects } = this
    const [issueEventsPerMinute, projectSettings, bursts] = await Promise.all([
      ctx.ranges.readSamplers(projects),
      ctx.ranges.readSettings(projects),
      ctx.ranges.readBursts(projects),
    ])
    const { retentionDays, layout } = ctx
    const isGivenUp = givenUp !== undefined && givenUp.streamSeq === this.messages[0]?.streamSeq
    this.#isRefused ||= isGivenUp
    return {
      retentionDays,
      partitionCount: layout.partitions,
      issueEventsPerMinute,
      projectSettings,
      bursts,
      // A repeated message is not among the fresh ones: its records have outcomes already.
      ...(isGivenUp
        ? { setAside: ordinalsOf(this.#fresh), setAsideDetail: cutDetail(givenUp.detail) }
        : { setAside: [] }),
    }
  }

  async #findPoisonRecords(
    ctx: DigestContext,
    place: DigestPlace,
    input: RangeInput,
  ): Promise<readonly number[]> {
    const records = ordinalsOf(this.#fresh)
    ctx.log.error(
      {
        code: 'range_undigestible',
        partition: input.partition,
        recordCount: records.length,
        reason: input.setAsideDetail,
      },
      'A range failed repeatedly. Searching for the records that cause it.',
    )
    const cpuMs = cpuMsFor(this.#fresh)
    let wasRefused = false
    const poisonRecords = await findPoisonRecords({
      input,
      records,
      stop: place.stop,
      attempt: async (attempt, share) => {
        try {
          await this.#digestOnce(ctx, place, attempt, Math.max(digestCpuMsMin, cpuMs * share))
          return true
        } catch (error) {
          if (!isToBlame(error)) throw error
          wasRefused ||= error instanceof DataRefusedError
          return false
        }
      },
      // A store may break during the search.
      probe: async () => {
        if (wasRefused) await place.probe()
      },
    })
    this.#failures = 0
    return poisonRecords
  }

  /** Returns false when all of them were set aside before. */
  #setAside(ordinals: readonly number[]): boolean {
    const before = this.#settings?.setAside ?? []
    const setAside = [...new Set([...before, ...ordinals])].sort((a, b) => a - b)
    this.#settings = { ...this.#settings!, setAside }
    return setAside.length > before.length
  }
}

function cpuMsFor(messages: readonly LogMessage[]): number {
  const byteLength = messages.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return Math.max(digestCpuMsMin, (digestCpuMsMax * byteLength) / rangeBytesMax)
}

/** An unreachable store, or a thread that got no CPU time, is no evidence against the records. */
function isToBlame(error: unknown): boolean {
  return !(
    // mutant: errors-without-blame
    error instanceof StoreAwayError ||
    error instanceof FencedError ||
    error instanceof DigestStarvedError
  )
}

function detailOf(error: unknown): string {
  return cutDetail(error instanceof Error ? error.message : String(error))
}

/** The detail is part of the plan, which is JSON in Postgres. */
function cutDetail(message: string): string {
  return storedText(message, setAsideDetailCharactersMax)
}

function isAlike({ eventRows, outcomeRows }: RangeOutput, plan: RangePlan): boolean {
  const { rowsHash } = plan.settings
  return hashOf(eventRows) === rowsHash && Buffer.compare(outcomeRows, plan.outcomeRows) === 0
}

/**
 * A CRC is enough: it has to detect rows that differ by accident, and clients cannot choose the
 * rows.
 */
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
