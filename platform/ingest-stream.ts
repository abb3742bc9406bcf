/** The stream that carries every frame: made by whoever starts first, read back by everyone else. */
import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import { busMessageBytesMax } from '#schemas/limits.ts'

export interface IngestStreamOptions {
  /** Partitions of a stream that is made now; an existing one keeps its own. */
  readonly partitions: number
  readonly bytesMax: number
  readonly replicas: number
}

export interface IngestStream {
  readonly partitionCount: number
  /** Creation time as the broker reports it: another one means another stream. */
  readonly createdAt: string
  readonly lastSeq: number
}

/** Frames sent again within this time under the same id are stored once. */
const duplicateWindowNs = 120 * 1e9

/**
 * The stream refuses new frames when full (`discard: new`) and never drops old ones by itself: workers
 * purge what they have committed. It lists one subject per partition, so the number of partitions can
 * be read from the stream and two processes cannot disagree about it.
 */
export async function ensureIngestStream(
  nats: NatsConnection,
  options: IngestStreamOptions,
): Promise<IngestStream> {
  const manager = await jetstreamManager(nats)
  try {
    return readStream(await manager.streams.info(ingestStream))
  } catch (error) {
    const missing =
      error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound
    if (!missing) throw error
  }
  const info = await manager.streams.add({
    name: ingestStream,
    subjects: Array.from({ length: options.partitions }, (_, partition) =>
      ingestSubject(partition),
    ),
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_bytes: options.bytesMax,
    max_msg_size: busMessageBytesMax,
    num_replicas: options.replicas,
    duplicate_window: duplicateWindowNs,
  })
  return readStream(info)
}

function readStream(info: StreamInfo): IngestStream {
  return {
    partitionCount: info.config.subjects.length,
    createdAt: info.created,
    lastSeq: info.state.last_seq,
  }
}
