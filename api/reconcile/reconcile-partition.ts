/**
 * Moves a partition in Postgres to the position that ClickHouse knows, in one transaction. The
 * result is what Postgres held right before or right after the commit of the last range, so the
 * next owner of the partition continues as after a crash.
 */
import type { PoolClient } from '#platform/postgres.ts'
import type { RangeNote } from '#schemas/range-note.ts'
import { type CursorRow, lockCursor, moveCursor, writeFrameProgress } from './cursor-row-store.ts'
import {
  dropUnknownProjects,
  findEvents,
  type RowScope,
  readUnknownProjects,
} from './found-events-store.ts'
import { endLastRange, type LastRangeEnd, type NotedRange } from './noted-range.ts'
import { isBeyond, type Position } from './position.ts'
import { completeOutcomes, forEachRange, hasEventRows, readLastRange } from './range-note-store.ts'
import type { ReconcileContext } from './reconcile-context.ts'
import type { PartitionReport } from './reconcile-report.ts'
import { settleFoundRows } from './settle-found-rows-store.ts'
import { applyNote } from './settle-sums-store.ts'

export interface ReconciledPartition {
  readonly report: PartitionReport
  readonly unknownProjects: readonly { projectId: number; events: number }[]
  readonly dsnIds: readonly number[]
  /** Whether ranges have no note, so that only their event rows are known. */
  readonly missesNotes: boolean
}

/** How the last range ends, and where the cursor stands then. */
interface Plan {
  readonly last: NotedRange | undefined
  readonly end: LastRangeEnd
  readonly committed: Position
}

/**
 * Returns undefined when Postgres knows as much as ClickHouse. @param newest the latest position in
 * ClickHouse.
 */
export async function reconcilePartition(
  ctx: ReconcileContext,
  client: PoolClient,
  { partition, newest, isDryRun }: { partition: number; newest: Position; isDryRun: boolean },
): Promise<ReconciledPartition | undefined> {
  const cursor = await lockCursor(client, partition)
  if (!isBeyond(newest, { generation: cursor.generation, seq: cursor.plannedSeq })) return undefined
  const plan = await planEnd(ctx, cursor, newest)
  if (plan.end === 'kept' && plan.last !== undefined && !isDryRun) {
    await completeOutcomes(ctx.clickhouse, plan.last)
  }
  const unknownProjects = await readUnknownProjects(client, ctx.clickhouse, rowsAfter(cursor))
  await findEvents(client, ctx.clickhouse, rowsAfter(cursor, plan))
  await dropUnknownProjects(client)
  const found = await settleFoundRows(client)
  const notes = await applyNotes(ctx, client, cursor, plan)
  const handedOver = plan.end === 'kept' ? undefined : plan.last
  await moveCursor(client, {
    partition,
    epoch: Math.max(cursor.epoch, notes.epoch) + 1,
    committed: plan.committed,
    // A stream that does not exist makes the next owner undo the plan, and read the stream from its
    // start.
    incarnation:
      plan.end === 'undone' ? '' : (notes.incarnation ?? (await streamOf(ctx, partition))),
    plan: handedOver && { plannedSeq: handedOver.plannedSeq, note: handedOver.note },
  })
  return {
    unknownProjects,
    dsnIds: found.dsnIds,
    missesNotes: notes.missing,
    report: {
      partition,
      before: { generation: cursor.generation, seq: cursor.committedSeq },
      after: plan.committed,
      clickhouse: newest,
      ranges: notes.ranges,
      last_range: endOf(plan),
      events: found.events,
      issues_created: found.created,
      issues_regressed: found.regressed,
    },
  }
}

function endOf({ last, end }: Plan): PartitionReport['last_range'] {
  if (last === undefined) return 'without_note'
  return end === 'planned' ? 'replayed' : end
}

async function planEnd(
  { clickhouse, streams }: ReconcileContext,
  cursor: CursorRow,
  newest: Position,
): Promise<Plan> {
  const { partition, generation, committedSeq } = cursor
  const last = await readLastRange(clickhouse, { partition, generation, seq: committedSeq })
  const isNoted =
    last !== undefined && !isBeyond(newest, { generation: last.generation, seq: last.plannedSeq })
  // Rows of a version that wrote no notes: each insert of events is complete, so they are kept.
  if (!isNoted) return { last: undefined, end: 'kept', committed: newest }
  const { note, committedSeq: afterSeq, plannedSeq: toSeq } = last
  const stream = await streams.stateOf(partition)
  const isSameStream = stream?.createdAt === note.incarnation && toSeq <= stream.lastSeq
  const messagesMax = note.messageCount
  const canReplay =
    isSameStream &&
    (await streams.countMessages(partition, { afterSeq, toSeq, messagesMax })) === messagesMax
  const end = endLastRange(last, {
    canReplay,
    hasEventRows: await hasEventRows(clickhouse, last),
  })
  const seq = end === 'kept' ? toSeq : afterSeq
  return { last, end, committed: { generation: last.generation, seq } }
}

/** The rows that Postgres has not counted, without those of a range that the plan hands over. */
function rowsAfter(cursor: CursorRow, plan?: Plan): RowScope {
  const { partition, generation, committedSeq } = cursor
  const last = plan?.last
  const isHandedOver = last !== undefined && plan?.end !== 'kept'
  return {
    condition: `partition = {partition: UInt16}
      and (stream_generation > {generation: UInt32}
        or stream_generation = {generation: UInt32} and stream_seq > {committedSeq: UInt64})
      and not (stream_generation = {lastGeneration: UInt32}
        and stream_seq > {lastAfter: UInt64} and stream_seq <= {lastTo: UInt64})`,
    parameters: {
      ...{ partition, generation, committedSeq },
      lastGeneration: isHandedOver ? last.generation : 0,
      lastAfter: isHandedOver ? last.committedSeq : 0,
      lastTo: isHandedOver ? last.plannedSeq : 0,
    },
  }
}

interface AppliedNotes {
  readonly ranges: number
  /** The latest epoch of an owner. */
  readonly epoch: number
  /** Creation time of the stream that the last range was read from. */
  readonly incarnation: string | undefined
  readonly missing: boolean
}

/** Applies the notes of all ranges that count as committed. */
async function applyNotes(
  ctx: ReconcileContext,
  client: PoolClient,
  cursor: CursorRow,
  { last, end, committed }: Plan,
): Promise<AppliedNotes> {
  const { partition } = cursor
  const frames = new Map<string, RangeNote['frames'][number]>()
  let epoch = 0
  let incarnation: string | undefined
  let ranges = 0
  let missing = last === undefined
  let at: Position = { generation: cursor.generation, seq: cursor.committedSeq }
  const nowMs = ctx.clock.nowMs()
  await forEachRange(ctx.clickhouse, { partition, ...at }, async (range) => {
    const { generation, note } = range
    epoch = Math.max(epoch, note.epoch)
    incarnation = note.incarnation
    const begins: Position = { generation, seq: range.committedSeq }
    if (range.isUndone) return
    const isNext = generation === at.generation ? begins.seq === at.seq : begins.seq === 0
    missing ||= !isNext
    at = { generation, seq: range.plannedSeq }
    const isLast = generation === last?.generation && range.plannedSeq === last.plannedSeq
    if (isLast && end !== 'kept') return
    ranges += 1
    for (const each of note.frames) frames.set(each.instanceId, each)
    await applyNote(client, { partition, note, nowMs })
  })
  // Rows without notes follow the last one.
  if (last === undefined && incarnation !== undefined && isBeyond(committed, at)) missing = true
  await writeFrameProgress(client, partition, frames.values())
  return { ranges, epoch, incarnation, missing }
}

/** Without a note it is unknown which stream the rows came from: the present one, if it reaches. */
async function streamOf({ streams }: ReconcileContext, partition: number): Promise<string> {
  return (await streams.stateOf(partition))?.createdAt ?? ''
}
