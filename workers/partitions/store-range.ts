/**
 * Stores a digested range in both databases: plan, insert, commit. A further call after a failure
 * continues with the step that is missing.
 */
import { rangeToken } from '#platform/clickhouse-token.ts'
import { failpoint } from '#platform/failpoint.ts'
import type { RangeOutput } from '../digest/range.ts'
import {
  confirmOwner,
  type OwnedPartition,
  type PartitionContext,
  readOwnCursor,
} from '../ownership/owned-partition.ts'
import { describeRange } from '../rows/range-note.ts'
import {
  type CommitResult,
  type Cursor,
  FencedError,
  PlanHeldError,
  type RangePlan,
  type RowInsert,
} from './ports.ts'
import type { RangeInHand } from './range-in-hand.ts'

/**
 * Before an insert, an owner that was last confirmed longer ago than this confirms its ownership.
 */
const insertAfterMs = 10_000
/**
 * A worker that stood still for longer since it planned a range confirms its ownership before it
 * writes anything of the range. `admin reconcile` must not overlook a range that is written later.
 */
const noteAfterMs = 1_000
/** Delay between two attempts to plan a range while a backup takes its point in time. */
const heldPollMs = 100

/** The commit took place, but its result was lost with the answer. */
const unknownResult: CommitResult = { newIssues: 0, regressedIssues: 0 }

export async function storeRange(
  ctx: PartitionContext,
  owned: OwnedPartition,
  range: RangeInHand,
  output: RangeOutput,
  stop: AbortSignal,
): Promise<CommitResult> {
  if (owned.plan === undefined) await planRange(ctx, owned, range, stop)
  if (range.commitTried && (await isCommitted(ctx, owned.cursor))) return unknownResult
  await noteRange(ctx, owned, range, output)
  // mutant: insert-rows
  const { eventCount, eventRows, sessionRows, outcomeCount, outcomeRows } = output
  if (eventCount > 0) await insertRows(ctx, owned, 'events', eventRows)
  failpoint('workers.after_insert_events')
  // mutant: insert-sessions
  if (sessionRows.length > 0) await insertRows(ctx, owned, 'sessions', sessionRows)
  if (outcomeCount > 0) await insertRows(ctx, owned, 'outcomes', outcomeRows)
  failpoint('workers.after_insert')
  return commitRange(ctx, owned, range, output)
}

async function planRange(
  ctx: PartitionContext,
  owned: OwnedPartition,
  range: RangeInHand,
  stop: AbortSignal,
): Promise<void> {
  const plan = range.toPlan()
  failpoint('workers.before_plan')
  while (true) {
    const askedMs = ctx.clock.monotonicMs()
    const planned = await planUnlessHeld(ctx, owned.cursor, plan)
    if (planned !== undefined) {
      owned.cursor = planned
      owned.plan = plan
      owned.ownerAtMs = askedMs
      break
    }
    await ctx.sleep(heldPollMs, stop)
    stop.throwIfAborted()
  }
  failpoint('workers.after_plan')
}

/** Every attempt writes the same note, and the first one stays. */
async function noteRange(
  ctx: PartitionContext,
  owned: OwnedPartition,
  range: RangeInHand,
  output: RangeOutput,
): Promise<void> {
  const { cursor, plan, incarnation } = owned
  if (plan === undefined) throw new Error('only a planned range is noted')
  await confirmOwner(ctx, owned, noteAfterMs)
  const messageCount = range.messages.length
  const frames = range.progress.changes()
  await ctx.rows.note(
    cursor,
    describeRange({ cursor, plan, incarnation, messageCount, frames, output }),
  )
}

/** Undefined while a backup takes its point in time; its hold expires within seconds. */
async function planUnlessHeld(
  { ranges }: PartitionContext,
  cursor: Cursor,
  plan: RangePlan,
): Promise<Cursor | undefined> {
  try {
    return await ranges.plan(cursor, plan)
  } catch (error) {
    if (error instanceof PlanHeldError) return undefined
    throw error
  }
}

async function insertRows(
  ctx: PartitionContext,
  owned: OwnedPartition,
  table: RowInsert['table'],
  rows: Uint8Array,
): Promise<void> {
  // ClickHouse remembers tokens for a limited time, so an owner that was paused for hours must not
  // insert.
  await confirmOwner(ctx, owned, insertAfterMs)
  // mutant: insert-under-token
  await ctx.rows.insert({ table, rows, token: rangeToken(owned.cursor, table) })
}

async function commitRange(
  ctx: PartitionContext,
  { cursor }: OwnedPartition,
  range: RangeInHand,
  output: RangeOutput,
): Promise<CommitResult> {
  range.commitTried = true
  failpoint('workers.before_commit')
  try {
    const frames = range.progress.changes()
    const { alertRules } = range
    const result = await ctx.ranges.commit({ cursor, output, frames, alertRules })
    failpoint('workers.after_commit')
    return result
  } catch (error) {
    // Either there is another owner, or an earlier attempt at this commit succeeded and its answer
    // was lost.
    if (error instanceof FencedError && (await isCommitted(ctx, cursor))) return unknownResult
    throw error
  }
}

async function isCommitted(ctx: PartitionContext, cursor: Cursor): Promise<boolean> {
  const now = await readOwnCursor(ctx.ranges, cursor)
  return now.generation === cursor.generation && now.committedSeq === cursor.plannedSeq
}
