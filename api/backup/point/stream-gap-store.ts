/** What the streams still hold of the time after a backup. */
import { jetstreamManager } from '@nats-io/jetstream'
import { connectNats } from '#platform/nats/nats.ts'
import { installationOfStream } from '#platform/nats/stream-mark.ts'
import { firstPartitionOf, streamName } from '#platform/nats/stream-of-partition.ts'
import type { BackupCursor } from '#schemas/backup/manifest.ts'

export interface StreamState {
  readonly name: string
  readonly createdAt: string
  readonly firstSeq: number
  readonly lastSeq: number
  readonly installationId: string | undefined
}

export interface PartitionReplay {
  readonly partition: number
  /**
   * `same`: messages after the point are read from the stream. `other`: the stream was created
   * again or does not exist yet; it is read from its start.
   */
  readonly stream: 'same' | 'other'
  readonly committedSeq: number
  /** Sequences [from, to] of the stream, of any partition, that were purged after the point. */
  readonly missing: { readonly from: number; readonly to: number } | undefined
  /** Last sequence that the workers will read. */
  readonly lastSeq: number
}

/** Undefined if the broker does not answer. */
export async function readStreams(natsUrl: string): Promise<StreamState[] | undefined> {
  const nats = await connectNats(natsUrl, 'sluice-backup').catch(() => undefined)
  if (nats === undefined) return undefined
  try {
    const manager = await jetstreamManager(nats, { checkAPI: false })
    const states: StreamState[] = []
    for await (const { config, created, state } of manager.streams.list()) {
      if (firstPartitionOf(config.name) === undefined) continue
      states.push({
        name: config.name,
        createdAt: created,
        firstSeq: state.first_seq,
        lastSeq: state.last_seq,
        installationId: installationOfStream(config),
      })
    }
    return states
  } catch {
    return undefined
  } finally {
    await nats.close()
  }
}

/**
 * A stream is purged up to what all of its partitions have committed, and an idle partition stays
 * behind. So only sequences above those of all its partitions are known to be missing.
 */
export function planReplay(
  cursors: readonly BackupCursor[],
  streams: readonly StreamState[],
): PartitionReplay[] {
  const streamOf = ({ partition, incarnation }: BackupCursor) => {
    const name = nameOfStream(partition, streams)
    const stream = streams.find((one) => one.name === name)
    return { stream, isSame: stream?.createdAt === incarnation }
  }
  return cursors.map((cursor) => {
    const { partition, committedSeq } = cursor
    const { stream, isSame } = streamOf(cursor)
    const lastSeq = stream?.lastSeq ?? 0
    if (stream === undefined || !isSame) {
      return { partition, stream: 'other', committedSeq, missing: undefined, lastSeq }
    }
    const others = cursors.filter((other) => streamOf(other).stream === stream)
    const readSeq = Math.max(...others.map((other) => other.committedSeq))
    const isWhole = stream.firstSeq <= readSeq + 1
    const missing = isWhole ? undefined : { from: readSeq + 1, to: stream.firstSeq - 1 }
    return { partition, stream: 'same', committedSeq, missing, lastSeq }
  })
}

/**
 * Names of the streams with messages whose partitions begin at `from` or later: they were added
 * after the point, and the restored Postgres does not know them.
 */
export function streamsFrom(from: number, streams: readonly StreamState[]): string[] {
  return streams
    .filter(({ name, lastSeq }) => lastSeq > 0 && (firstPartitionOf(name) ?? 0) >= from)
    .map(({ name }) => name)
}

/** The partition belongs to the last layout that begins at or before it. */
function nameOfStream(partition: number, streams: readonly StreamState[]): string | undefined {
  const begins = streams.map(({ name }) => firstPartitionOf(name) ?? 0)
  const first = Math.max(...begins.filter((begin) => begin <= partition))
  if (!Number.isFinite(first)) return undefined
  const count = begins.filter((begin) => begin === first).length
  return streamName((partition - first) % count, { first, streams: count })
}
