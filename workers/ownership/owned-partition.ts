/** How a partition comes into the hands of its owner: where it stands, what it remembers, and from where its log is read. */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
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
  /** Partitions of all streams together. */
  readonly partitionCount: number
  /** Frames with another mark are left alone. Left out: none are. */
  readonly installationMark?: number
  /** Left out: time does not pass for monitors while nothing comes. */
  readonly monitors?: MonitorClock
}

export interface PartitionSource {
  readonly partition: number
  /** The stream as it is now. */
  readonly readStream: () => Promise<StreamState>
  /** Reads behind the given sequence. */
  readonly openLog: (afterSeq: number) => LogReader
  /** The least time between two ranges while events keep coming. */
  readonly rangeIntervalMs: () => number
}

export interface OwnedPartition {
  cursor: Cursor
  /** Of the range behind `cursor.committedSeq`, when one is planned: a predecessor's, or the owner's own. */
  plan: RangePlan | undefined
  /** Monotonic time at which the epoch was known to be the owner's. */
  ownerAtMs: number
  progress: FrameProgress
  readonly window: IdWindow
  readonly log: LogReader
  readonly incarnation: string
}

/** Throws when it is to stop: an owner that has lost its lock on the way must not begin a generation. */
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
      'The stream no longer holds what was read of it; it is read from its start.',
    )
    if (plan !== undefined) await undo(ctx, cursor, plan)
    stop.throwIfAborted()
    plan = undefined
    cursor = await ranges.beginGeneration(cursor, stream)
  }
  const window = new IdWindow()
  const readMs = ctx.clock.monotonicMs()
  await rows.knownIds.read(cursor, window)
  await ranges.readItemIds(partition, window)
  stop.throwIfAborted()
  ctx.metrics.window.rebuildSeconds.observe((ctx.clock.monotonicMs() - readMs) / 1000)
  ctx.metrics.window.observe(partition, window)
  const { epoch, generation, committedSeq } = cursor
  log.info(
    { code: 'partition_owned', partition, epoch, generation, committedSeq, ids: window.size },
    'A partition was taken over.',
  )
  return {
    cursor,
    plan,
    ownerAtMs,
    progress: new FrameProgress(taken.frames),
    window,
    log: openLog(committedSeq),
    incarnation: stream.createdAt,
  }
}

/**
 * What the store compares with was asked of the broker before the epoch was raised, when another owner could still go on in the
 * stream. So a stream that seems to be cut, or another one, is looked at again: from now on nobody else moves the cursor.
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
 * What is planned cannot be digested as it was planned: its rows go, and the stream is read from its start in a new
 * generation. What was committed is known by its frame numbers, so window and progress stay.
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
    'A planned range cannot be digested as it was planned; it is undone.',
  )
  const stream = await readStream()
  await undo(ctx, owned.cursor, plan)
  stop.throwIfAborted()
  const cursor = await ctx.ranges.beginGeneration(owned.cursor, stream)
  await owned.log.close()
  const log = openLog(cursor.committedSeq)
  return { ...owned, cursor, plan: undefined, log, incarnation: stream.createdAt }
}

/** Throws `FencedError` when somebody else is the owner and nobody has looked for so long. */
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
