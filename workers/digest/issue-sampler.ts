/**
 * Samples the events of an issue that exceeds its rate, so that a burst of one error does not fill
 * the store. Each sample row carries the ids and times of the events it represents (`sampled_ids`),
 * so that counts stay exact and copies are still recognised. A pure function of the range: rates
 * refer to the time that the range's own records span, and no state is kept between ranges.
 */
import assert from 'node:assert'
import { decodeFrame, FrameError, visitRecordIds } from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { RangeInput } from './range.ts'

/** One of so many events above the rate is stored as a row. */
const eventsPerSampleRow = 10
/** Maximum number of ids that a row carries. */
const sampledIdsMax = 1000
assert(eventsPerSampleRow - 1 <= sampledIdsMax)

/** A row and the events it represents were received within one UTC hour. */
export const sampleSpanSeconds = 3_600
const msPerHour = sampleSpanSeconds * 1000

/** Where an event is stored: in its own row, in a new sample row, or in an open sample row. */
export type Place = 'own_row' | 'sample_row' | 'in_sample'

export interface Sample {
  /** RowBinary of the row up to its sampled events. */
  readonly row: Uint8Array
  /** All events of a sample are of one hour, so that hourly series count them in the right hour. */
  readonly hour: number
  readonly ids: string[]
  readonly receivedAtMs: number[]
}

interface SampledIssue {
  rowsLeft: number
  sample: Sample | undefined
}

export interface SampledEvent {
  readonly projectId: ProjectId
  /** The first grouping hash. */
  readonly hash: string
  readonly receivedAtMs: number
}

export class IssueSampler {
  /** Rows that each issue of the project gets before its events are sampled. */
  readonly #rowsByProject = new Map<ProjectId, number>()
  readonly #issues = new Map<string, SampledIssue>()

  constructor(input: RangeInput) {
    const { issueEventsPerMinute = [], partitionCount = 1 } = input
    if (issueEventsPerMinute.length === 0) return
    const minutes = spanMs(input) / 60_000
    for (const [projectId, limit] of issueEventsPerMinute) {
      this.#rowsByProject.set(projectId, Math.max(1, Math.ceil((limit * minutes) / partitionCount)))
    }
  }

  /** Only decides. The caller calls `add` afterwards, when nothing can fail any more. */
  placeOf(event: SampledEvent): Place {
    if (!this.#rowsByProject.has(event.projectId)) return 'own_row'
    const issue = this.#issues.get(issueName(event))
    if (issue === undefined || issue.rowsLeft > 0) return 'own_row'
    return issue.sample?.hour === hourOf(event) ? 'in_sample' : 'sample_row'
  }

  /**
   * Returns the sample that is full or that an event of another hour ended; the caller writes it
   * now.
   */
  add(
    event: SampledEvent & { readonly eventId: string },
    row: Uint8Array | undefined,
  ): Sample | undefined {
    const rows = this.#rowsByProject.get(event.projectId)
    if (rows === undefined) return undefined
    const place = this.placeOf(event)
    const name = issueName(event)
    const issue = this.#issues.get(name) ?? { rowsLeft: rows, sample: undefined }
    this.#issues.set(name, issue)
    if (place === 'own_row') {
      issue.rowsLeft -= 1
      return undefined
    }
    if (place === 'sample_row') {
      assert(row !== undefined)
      const ended = issue.sample
      issue.sample = { row, hour: hourOf(event), ids: [], receivedAtMs: [] }
      return ended
    }
    const sample = issue.sample
    assert(sample !== undefined)
    sample.ids.push(event.eventId)
    sample.receivedAtMs.push(event.receivedAtMs)
    if (sample.ids.length < eventsPerSampleRow - 1) return undefined
    issue.sample = undefined
    return sample
  }

  /** The samples that are still open at the end of the range. */
  *rest(): Generator<Sample> {
    for (const { sample } of this.#issues.values()) if (sample !== undefined) yield sample
  }
}

function issueName({ projectId, hash }: SampledEvent): string {
  return `${projectId} ${hash}`
}

function hourOf({ receivedAtMs }: SampledEvent): number {
  return Math.floor(receivedAtMs / msPerHour)
}

/** From the first to the last time of receipt of the range's events. */
function spanMs({ frames }: RangeInput): number {
  let first = Number.POSITIVE_INFINITY
  let last = 0
  for (const { bytes } of frames) {
    try {
      visitRecordIds(decodeFrame(bytes), ({ kind, receivedAtMs }) => {
        if (kind !== 'event') return
        first = Math.min(first, receivedAtMs)
        last = Math.max(last, receivedAtMs)
      })
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
    }
  }
  return Math.max(0, last - first)
}
