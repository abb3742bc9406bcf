/** How a partition comes into the hands of its owner: where it stands, what it remembers, and from where its log is read. */
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { IdWindow } from '../dedup/id-window.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { FrameProgress } from './frame-progress.ts'
import type {
  Cursor,
  Digest,
  LogReader,
  RangePlan,
  RangeStore,
  RowStore,
  Sleep,
  StreamState,
} from './ports.ts'

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
}

export interface PartitionSource {
  readonly partition: number
  /** The stream as it is now. */
  readonly readStream: () => Promise<StreamState>
  /** Reads behind the given sequence. */
  readonly openLog: (afterSeq: number) => LogReader
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

export async function takeOver(
  ctx: PartitionContext,
  { partition, readStream, openLog }: PartitionSource,
): Promise<OwnedPartition> {
  const { ranges, rows, log } = ctx
  const stream = await readStream()
  const ownerAtMs = ctx.clock.monotonicMs()
  const taken = await ranges.takeOver(partition, stream)
  let { cursor, plan } = taken
  if (taken.reset !== 'none') {
    const { plannedSeq } = cursor
    log.error(
      { code: `stream_${taken.reset}`, partition, plannedSeq, ...stream },
      'The stream no longer holds what was read of it; it is read from its start.',
    )
    if (plan !== undefined) await undo(ctx, cursor, plan)
    plan = undefined
    cursor = await ranges.beginGeneration(cursor, stream)
  }
  const window = new IdWindow()
  const readMs = ctx.clock.monotonicMs()
  await rows.knownIds.read(cursor, window)
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
 * What is planned cannot be digested as it was planned: its rows go, and the stream is read from its start in a new
 * generation. What was committed is known by its frame numbers, so window and progress stay.
 */
export async function startOver(
  ctx: PartitionContext,
  { partition, readStream, openLog }: PartitionSource,
  owned: OwnedPartition,
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
  const cursor = await ctx.ranges.beginGeneration(owned.cursor, stream)
  await owned.log.close()
  const log = openLog(cursor.committedSeq)
  return { ...owned, cursor, plan: undefined, log, incarnation: stream.createdAt }
}

async function undo(ctx: PartitionContext, cursor: Cursor, plan: RangePlan): Promise<void> {
  await ctx.rows.undo({ cursor, plan })
  ctx.metrics.rangesUndone.inc()
}
