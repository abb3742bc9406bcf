/**
 * The streams that carry every frame. Who starts first lays them out, and everyone else reads that layout back: the
 * numbers of partitions and streams are written in each stream, so that two processes cannot disagree about them,
 * whatever their environments say.
 */
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { streamName, streamOfPartition } from './stream-of-partition.ts'

export interface IngestLayout {
  readonly partitions: number
  readonly streams: number
}

export interface IngestStreamOptions extends IngestLayout {
  /** Of each stream. */
  readonly bytesMax: number
  readonly replicas: number
}

export interface IngestStream {
  readonly name: string
  /** Creation time as the broker reports it: another one means another stream. */
  readonly createdAt: string
  readonly firstSeq: number
  readonly lastSeq: number
}

export interface IngestStreams {
  /** As it is, whatever was asked for. */
  readonly layout: IngestLayout
  /** By index: partition p lives in stream p mod n. */
  readonly streams: readonly IngestStream[]
}

/** Somebody has removed the streams and laid them out differently: a process that began with the former layout must end. */
export class IngestLayoutError extends Error {}

/** Frames sent again within this time under the same id are stored once. */
const duplicateWindowNs = 120 * 1e9
/** Longer than a broker takes from looking for a conflict to having made a stream. */
const settleMs = 250
const settleRoundsMax = 20
const placementMs = 500
const placementAttemptsMax = 40
const ourStream = new RegExp(`^${ingestStream}(-\\d+)?$`)

/** Makes what is missing. An existing layout wins over the one that is asked for. */
export async function ensureIngestStreams(
  nats: NatsConnection,
  options: IngestStreamOptions,
): Promise<IngestStreams> {
  const manager = await jetstreamManager(nats, { checkAPI: false })
  const layout = await settleLayout(manager, options)
  const indices = Array.from({ length: layout.streams }, (_, index) => index)
  const streams = await Promise.all(
    indices.map((index) => ensureStream(manager, { ...options, ...layout, index })),
  )
  return { layout, streams }
}

/** The stream of one partition as it is now, made anew when it is gone. `options` name the layout this process began with. */
export async function readIngestStream(
  nats: NatsConnection,
  partition: number,
  options: IngestStreamOptions,
): Promise<IngestStream> {
  const manager = await jetstreamManager(nats, { checkAPI: false })
  const name = streamOfPartition(partition, options.streams)
  const info = await findStream(manager, name)
  if (info !== undefined) {
    expectSameLayout(layoutOf(info), options)
    if (info.config.num_replicas === 1) return describe(info)
    // A leader that was elected a moment ago may hold more than it says: it would look as if the end had been lost.
    await sleep(settleMs)
    return describe(await manager.streams.info(name))
  }
  const { layout, streams } = await ensureIngestStreams(nats, options)
  expectSameLayout(layout, options)
  const made = streams[partition % layout.streams]
  assert(made !== undefined)
  return made
}

export function streamNames({ streams }: IngestLayout): string[] {
  return Array.from({ length: streams }, (_, index) => streamName(index, streams))
}

/** The partitions of the stream with this index. */
export function partitionsOfStream(index: number, { partitions, streams }: IngestLayout): number[] {
  return Array.from({ length: partitions }, (_, partition) => partition).filter(
    (partition) => partition % streams === index,
  )
}

/**
 * No broker refuses every conflict of two streams that are made at the same moment. So whoever meets a bus that has
 * carried nothing yet looks twice, and everybody sees the same winner before the first frame.
 */
async function settleLayout(
  manager: JetStreamManager,
  options: IngestStreamOptions,
): Promise<IngestLayout> {
  let before: IngestLayout | undefined
  for (let round = 0; round < settleRoundsMax; round += 1) {
    const found = await readBus(manager)
    if (found === undefined) {
      before = checkLayout(options)
      await addStream(manager, { ...options, index: 0 }).catch(ignoreConflict)
    } else if (!found.isFresh || (before !== undefined && isSame(before, found.layout))) {
      for (const stray of found.strays) await removeEmpty(manager, stray)
      return found.layout
    } else {
      before = found.layout
    }
    await sleep(settleMs)
  }
  throw new Error('the streams changed all the time while they were being laid out')
}

interface Bus {
  readonly layout: IngestLayout
  /** Nothing was ever published on its first stream. */
  readonly isFresh: boolean
  /** Streams of another layout, whose process was beaten. */
  readonly strays: readonly StreamInfo[]
}

/** Undefined when there is no stream of ours. */
async function readBus(manager: JetStreamManager): Promise<Bus | undefined> {
  const names: string[] = []
  for await (const name of manager.streams.names()) if (ourStream.test(name)) names.push(name)
  const infos: StreamInfo[] = []
  for (const name of names.sort()) {
    const info = await findStream(manager, name)
    if (info !== undefined) infos.push(info)
  }
  // One that has carried frames beats all that have not, then the first by name.
  const first = infos.find(({ state }) => state.last_seq > 0) ?? infos[0]
  if (first === undefined) return undefined
  const layout = layoutOf(first)
  const strays = infos.filter((info) => !isSame(layoutOf(info), layout))
  return { layout, isFresh: first.state.last_seq === 0, strays }
}

function layoutOf({ config }: StreamInfo): IngestLayout {
  // Alone it has a subject for each partition. One made before there could be several says nothing else.
  if (config.name === ingestStream) return { partitions: config.subjects.length, streams: 1 }
  const written = /(?<!\d)(\d+) partitions in (\d+) streams/.exec(config.description ?? '')
  if (written !== null) return { partitions: Number(written[1]), streams: Number(written[2]) }
  throw new Error(
    `the description of stream ${config.name} does not say how many partitions and streams there are`,
  )
}

function checkLayout({ partitions, streams }: IngestLayout): IngestLayout {
  if (streams <= partitions) return { partitions, streams }
  throw new Error(
    `INGEST_STREAMS is ${streams} and INGEST_PARTITIONS is ${partitions}: a stream without a partition would hold nothing`,
  )
}

function expectSameLayout(found: IngestLayout, began: IngestLayout): void {
  if (isSame(found, began)) return
  throw new IngestLayoutError(
    `the bus has ${found.partitions} partitions in ${found.streams} streams now, and this process began with ${began.partitions} in ${began.streams}`,
  )
}

function isSame(one: IngestLayout, other: IngestLayout): boolean {
  return one.partitions === other.partitions && one.streams === other.streams
}

async function ensureStream(
  manager: JetStreamManager,
  options: IngestStreamOptions & { readonly index: number },
): Promise<IngestStream> {
  const name = streamName(options.index, options.streams)
  const found = await findStream(manager, name)
  if (found !== undefined) return describe(found)
  try {
    return await addStream(manager, options)
  } catch (error) {
    ignoreConflict(error)
    return describe(await manager.streams.info(name))
  }
}

/** A cluster whose nodes have not all met yet has no place for a stream: soon it has. */
async function addStream(
  manager: JetStreamManager,
  options: IngestStreamOptions & { readonly index: number },
): Promise<IngestStream> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await addStreamNow(manager, options)
    } catch (error) {
      if (!hasCode(error, noSuitablePeers) || attempt === placementAttemptsMax) throw error
      await sleep(placementMs)
    }
  }
}

/** Refuses new frames when full (`discard: new`) and never drops old ones by itself: workers purge what is committed. */
async function addStreamNow(
  manager: JetStreamManager,
  options: IngestStreamOptions & { readonly index: number },
): Promise<IngestStream> {
  const { index, partitions, streams, bytesMax, replicas } = options
  const info = await manager.streams.add({
    name: streamName(index, streams),
    description: `Frames of Sluice: ${partitions} partitions in ${streams} streams.`,
    subjects: partitionsOfStream(index, options).map(ingestSubject),
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_bytes: bytesMax,
    max_msg_size: busMessageBytesMax,
    num_replicas: replicas,
    duplicate_window: duplicateWindowNs,
  })
  return describe(info)
}

async function removeEmpty(manager: JetStreamManager, { config }: StreamInfo): Promise<void> {
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

async function findStream(
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

const noSuitablePeers = 10_005
const nameInUse = 10_058
const subjectsOverlap = 10_065

/** Another process has just made a stream of this name, or one that holds our subjects. */
function ignoreConflict(error: unknown): void {
  if (!hasCode(error, subjectsOverlap) && !hasCode(error, nameInUse)) throw error
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}

function describe({ config, created, state }: StreamInfo): IngestStream {
  return {
    name: config.name,
    createdAt: created,
    firstSeq: state.first_seq,
    lastSeq: state.last_seq,
  }
}
