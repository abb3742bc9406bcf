import { takeOutSdks } from '#schemas/outcome-rows.ts'
import type { RangeNote } from '#schemas/range-note.ts'
import type { RangeOutput } from '../digest/range.ts'
import type { InstanceProgress } from '../partitions/frame-progress.ts'
import type { Cursor, RangePlan } from '../partitions/ports.ts'

export interface DescribedRange {
  readonly cursor: Cursor
  readonly plan: RangePlan
  /** Creation time of the stream. */
  readonly incarnation: string
  readonly messageCount: number
  /** Progress of the instances that had frames in the range. */
  readonly frames: readonly InstanceProgress[]
  readonly output: RangeOutput
}

/** Returns what only Postgres would know of a range after its commit (schemas/range-note.ts). */
export function describeRange(range: DescribedRange): RangeNote {
  const { cursor, plan, incarnation, messageCount, frames, output } = range
  const { settings, outcomeRows } = plan
  const { rows, sdks } = takeOutSdks(outcomeRows)
  const { sessionSums, sessionReleases, itemIds, ownEventIds, retriedDeadLetterIds } = output
  return {
    version: 1,
    epoch: cursor.epoch,
    incarnation,
    messageCount,
    settings: sdks === undefined ? { ...settings } : { ...settings, outcomeSdks: [...sdks] },
    outcomeRows: Buffer.from(rows).toString('base64'),
    frames: frames.map((each) => ({ ...each, ahead: [...each.ahead] })),
    sessionSums: sessionSums.map((each) => ({ ...each })),
    sessionReleases: sessionReleases.map((each) => ({ ...each })),
    itemIds: itemIds.map((each) => ({ ...each })),
    ownEventIds: [...ownEventIds],
    retriedDeadLetterIds: [...retriedDeadLetterIds],
  }
}
