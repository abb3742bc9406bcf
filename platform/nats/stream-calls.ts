/** Calls of the JetStream API, and the meaning of their errors. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { ingestSubject } from '#schemas/bus/subjects.ts'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { type DescribedStream, marksOf } from './stream-mark.ts'
import { partitionsOfStream, streamName } from './stream-of-partition.ts'

export interface IngestStream {
  readonly name: string
  /** Creation time as reported by the broker; a different one means a different stream. */
  readonly createdAt: string
  readonly firstSeq: number
  readonly lastSeq: number
}

export interface NewStream extends DescribedStream {
  readonly index: number
  readonly bytesMax: number
  readonly replicas: number
  readonly canHoldMetadata: boolean
}

/** Frames that are published again under the same id within this time are stored once. */
export const duplicateWindowNs = 120 * 1e9
const placementMs = 500
const placementAttemptsMax = 40

/** JetStream has no room for another stream of that size. */
export class BrokerStorageError extends Error {}

/**
 * A cluster that is still forming cannot place a stream yet, and a server that still deletes a
 * stream cannot create its store again, but both soon can.
 */
export async function addStream(manager: JetStreamManager, plan: NewStream): Promise<IngestStream> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await addStreamNow(manager, plan)
    } catch (error) {
      if (isStorageRefusal(error)) {
        throw new BrokerStorageError(refusedStorage(plan, error), { cause: error })
      }
      if (!isTemporary(error) || attempt === placementAttemptsMax) throw error
      await sleep(placementMs)
    }
  }
}

/**
 * A full stream rejects new frames (`discard: new`) and never drops old ones; workers purge
 * committed frames.
 */
async function addStreamNow(manager: JetStreamManager, plan: NewStream): Promise<IngestStream> {
  const { index, bytesMax, replicas } = plan
  const info = await manager.streams.add({
    name: streamName(index, plan),
    ...marksOf(plan),
    subjects: partitionsOfStream(index, plan).map(ingestSubject),
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_bytes: bytesMax,
    max_msg_size: busMessageBytesMax,
    num_replicas: replicas,
    duplicate_window: duplicateWindowNs,
  })
  return describeState(info)
}

export async function removeEmpty(
  manager: JetStreamManager,
  { config }: StreamInfo,
): Promise<void> {
  const now = await findStream(manager, config.name)
  if (now === undefined) return
  if (now.state.last_seq > 0) {
    throw new Error(
      `stream ${config.name} belongs to another layout than the other streams and has carried frames: delete it when they are no longer needed`,
    )
  }
  await manager.streams.delete(config.name).catch((error: unknown) => {
    if (!hasCode(error, JetStreamApiCodes.StreamNotFound)) throw error
  })
}

export async function findStream(
  manager: JetStreamManager,
  name: string,
): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (hasCode(error, JetStreamApiCodes.StreamNotFound)) return undefined
    throw error
  }
}

/** The limit of the account, of the server's storage, or of one stream of the account. */
const storageRefusals = new Set([10_002, 10_047, 10_122])

function isStorageRefusal(error: unknown): error is JetStreamApiError {
  return error instanceof JetStreamApiError && storageRefusals.has(error.code)
}

function refusedStorage(plan: NewStream, { message }: Error): string {
  const { streams, bytesMax, replicas } = plan
  return `NATS refused to reserve storage for the stream ${streamName(plan.index, plan)} (${message}): ${streams} stream(s) of ${bytesMax} bytes with ${replicas} replica(s) need that much; raise the limit of the server (max_file_store) or of the account, or set INGEST_STREAM_BYTES_MAX to less`
}

const noSuitablePeers = 10_005
/** Several causes share the code of this error, so its text decides. */
const storeNotCreated = /error creating store for stream/

function isTemporary(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false
  return error.code === noSuitablePeers || storeNotCreated.test(error.message)
}

const nameInUse = 10_058
const subjectsOverlap = 10_065

/** Another process has just created a stream of this name, or one with our subjects. */
export function ignoreConflict(error: unknown): void {
  if (!hasCode(error, subjectsOverlap) && !hasCode(error, nameInUse)) throw error
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}

export function describeState({ config, created, state }: StreamInfo): IngestStream {
  return {
    name: config.name,
    createdAt: created,
    firstSeq: state.first_seq,
    lastSeq: state.last_seq,
  }
}
