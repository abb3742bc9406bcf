/**
 * Takes over a partition: reads its cursor, plan, progress and id window, and opens its stream at
 * the right position.
 */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { IdWindow } from '../dedup/id-window.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { MonitorClock } from '../monitors/monitor-clock.ts'
import { FrameProgress } from '../partitions/frame-progress.ts'
import {
  type Cursor,
  type Digest,
  FencedError,
  type LogReader,
  type RangePlan,
  type RangeStore,
  type RowStore,
  type Sleep,
  type StreamState,
  type TakenPartition,
} from '../partitions/ports.ts'

export interface PartitionContext {
  readonly ranges: RangeStore
  readonly rows: RowStore
  readonly digest: Digest
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Logger
  readonly metrics: WorkerMetrics
  readonly retentionDays: number
  /** The partitions of all streams. */
  readonly layout: IngestLayout
  /** Frames with another mark are not digested. Left out: all frames are digested. */
  readonly installationMark?: number
  /** Left out: no minutes pass for monitors while the partition is idle. */
  readonly monitors?: MonitorClock
}

export interface PartitionSource {
  readonly partition: number
  /** Reads the current state of the stream. */
  readonly readStream: () => Promise<StreamState>
  /** Reads messages after the given sequence. */
  readonly openLog: (afterSeq: number) => LogReader
  /** Minimum time between two ranges while events keep arriving. */
  readonly rangeIntervalMs: () => number
}

export interface OwnedPartition {
  cursor: Cursor
  /**
   * Plan of the range after `cursor.committedSeq`, if there is one: of the previous owner or this
   * one.
   */
  plan: RangePlan | undefined
  /** Monotonic time at which this owner was last known to hold the current epoch. */
  ownerAtMs: number
  progress: FrameProgress
  readonly window: IdWindow
  readonly log: LogReader
  readonly incarnation: string
}

/** Throws if it has to stop: an owner that lost its lock meanwhile must not begin a generation. */
export async function takeOver(
  ctx: PartitionContext,
  source: PartitionSource,
  stop: AbortSignal,
): Promise<OwnedPartition> {
  const { ranges, rows, log } = ctx
  const { partition, openLog } = source
  const { stream, taken, ownerAtMs } = await raiseEpoch(ctx, source, stop)
  let { cursor, plan } = taken
  if (taken.reset !== 'none') {
    const { plannedSeq } = cursor
    log.error(
      { code: `stream_${taken.reset}`, partition, plannedSeq, ...stream },
      'The stream no longer holds what was read from it; reading it from its start.',
    )
    // mutant: undo-before-new-generation
    if (plan !== undefined) await undo(ctx, cursor, plan)
    stop.throwIfAborted()
    plan = undefined
    cursor = await ranges.beginGeneration(cursor, stream)
  }
  const window = new IdWindow()
  const readMs = ctx.clock.monotonicMs()
  // mutant: rebuild-window
  await rows.knownIds.read({ ...cursor, layout: ctx.layout }, window)
  // mutant: read-item-ids
  await ranges.readItemIds(partition, window)
  stop.throwIfAborted()
  ctx.metrics.window.rebuildSeconds.observe((ctx.clock.monotonicMs() - readMs) / 1000)
  ctx.metrics.window.observe(partition, window)
  const { epoch, generation, committedSeq } = cursor
  log.info(
    {
      code: 'partition_owned',
      partition,
      epoch,
      generation,
      committedSeq,
      ids: window.size,
      ...mayFollowOutage,
    },
    'A partition was taken over.',
  )
  return {
    cursor,
    plan,
    ownerAtMs,
    // mutant: read-progress
    progress: new FrameProgress(taken.frames),
    window,
    log: openLog(committedSeq),
    incarnation: stream.createdAt,
  }
}

/**
 * The state of the stream was read before the epoch was raised, when another owner could still
 * commit. So a stream that seems to be truncated or replaced is read again: from now on no other
 * process moves the cursor.
 */
async function raiseEpoch(
  { ranges, clock }: PartitionContext,
  { partition, readStream }: PartitionSource,
  stop: AbortSignal,
): Promise<{ stream: StreamState; taken: TakenPartition; ownerAtMs: number }> {
  let stream = await readStream()
  while (true) {
    stop.throwIfAborted()
    const ownerAtMs = clock.monotonicMs()
    const taken = await ranges.takeOver(partition, stream)
    if (taken.reset === 'none') return { stream, taken, ownerAtMs }
    const before = stream
    stream = await readStream()
    stop.throwIfAborted()
    if (stream.createdAt !== before.createdAt) continue
    const isWhole = taken.reset === 'tail_cut' && taken.cursor.plannedSeq <= stream.lastSeq
    return { stream, taken: isWhole ? { ...taken, reset: 'none' } : taken, ownerAtMs }
  }
}

/**
 * The planned range cannot be digested as it was planned: its rows are deleted, and the stream is
 * read from its start in a new generation. Committed frames are recognized by their numbers, so
 * window and progress stay valid.
 */
export async function startOver(
  ctx: PartitionContext,
  { partition, readStream, openLog }: PartitionSource,
  owned: OwnedPartition,
  stop: AbortSignal,
): Promise<OwnedPartition> {
  const { plan } = owned
  if (plan === undefined) throw new Error('only a planned range can be undone')
  const { committedSeq, plannedSeq } = owned.cursor
  ctx.log.error(
    { code: 'range_undone', partition, committedSeq, plannedSeq },
    'A planned range cannot be digested as it was planned; undoing it.',
  )
  const stream = await readStream()
  // mutant: undo-changed-range
  await undo(ctx, owned.cursor, plan)
  stop.throwIfAborted()
  const cursor = await ctx.ranges.beginGeneration(owned.cursor, stream)
  await owned.log.close()
  const log = openLog(cursor.committedSeq)
  return { ...owned, cursor, plan: undefined, log, incarnation: stream.createdAt }
}

/**
 * Throws `FencedError` if another process is the owner and the epoch was not checked for too long.
 */
export async function confirmOwner(
  { clock, ranges }: PartitionContext,
  owned: OwnedPartition,
  afterMs: number,
): Promise<void> {
  while (clock.monotonicMs() - owned.ownerAtMs > afterMs) {
    const askedMs = clock.monotonicMs()
    await readOwnCursor(ranges, owned.cursor)
    owned.ownerAtMs = askedMs
  }
}

export async function readOwnCursor(
  ranges: RangeStore,
  { partition, epoch }: Cursor,
): Promise<Cursor> {
  const now = await ranges.readCursor(partition)
  if (now.epoch !== epoch) throw new FencedError(`partition ${partition} has another owner`)
  return now
}

async function undo(ctx: PartitionContext, cursor: Cursor, plan: RangePlan): Promise<void> {
  await ctx.rows.undo({ cursor, plan })
  ctx.metrics.rangesUndone.inc()
}
