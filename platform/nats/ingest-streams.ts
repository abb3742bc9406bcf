/**
 * The streams that carry every frame. The first process to start creates them, and all others read
 * their layout: each stream stores the numbers of partitions and streams, so that all processes use
 * the same ones. It also stores the installation, and a process of another one refuses to use it.
 */
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { describeLayout, type IngestLayout, isSameLayout } from '#schemas/bus/layout.ts'
import {
  addStream,
  describeState,
  findStream,
  type IngestStream,
  ignoreConflict,
  removeEmpty,
} from './stream-calls.ts'
import { canHoldMetadata, expectOwn, installationOfStream, marksOf } from './stream-mark.ts'
import {
  firstPartitionOf,
  streamBase,
  streamName,
  streamOfPartition,
} from './stream-of-partition.ts'

export type { IngestStream } from './stream-calls.ts'

export interface IngestStreamOptions extends IngestLayout {
  /** Installation that owns the streams. */
  readonly installationId: string
  /** Maximum bytes of each stream. */
  readonly bytesMax: number
  readonly replicas: number
}

export interface IngestStreams {
  /** The actual layout, which may differ from the requested one. */
  readonly layout: IngestLayout
  /** By index: partition p lives in stream p mod n. */
  readonly streams: readonly IngestStream[]
}

/**
 * The streams were deleted and created with another layout, so a process that started with the old
 * layout must end.
 */
export class IngestLayoutError extends Error {}

/** Longer than the broker takes between checking for conflicts and creating a stream. */
const settleMs = 250
const settleRoundsMax = 20

interface StreamPlan extends IngestStreamOptions {
  readonly canHoldMetadata: boolean
  readonly server: string
}

/**
 * Creates missing streams. An existing layout takes precedence over the requested one. Unmarked
 * streams of earlier versions are assigned to this installation. Throws `ForeignInstallationError`
 * if they are marked as another one's.
 */
export async function ensureIngestStreams(
  nats: NatsConnection,
  options: IngestStreamOptions,
): Promise<IngestStreams> {
  const manager = await jetstreamManager(nats, { checkAPI: false })
  const plan = {
    ...options,
    canHoldMetadata: canHoldMetadata(nats.info?.version ?? ''),
    server: nats.getServer(),
  }
  const layout = await settleLayout(manager, plan)
  const indices = Array.from({ length: layout.streams }, (_, index) => index)
  const streams = await Promise.all(
    indices.map((index) => ensureStream(manager, { ...plan, ...layout, index })),
  )
  return { layout, streams }
}

/**
 * Like `ensureIngestStreams`, but an existing layout takes precedence only if it has carried a
 * message. For a layout to which no process publishes yet.
 */
export async function createIngestStreams(
  nats: NatsConnection,
  options: IngestStreamOptions,
): Promise<IngestStreams> {
  const found = await ensureIngestStreams(nats, options)
  const isUsed = found.streams.some(({ lastSeq }) => lastSeq > 0)
  if (isUsed || isSameLayout(found.layout, options)) return found
  const manager = await jetstreamManager(nats, { checkAPI: false })
  for (const { name } of found.streams) await manager.streams.delete(name)
  return ensureIngestStreams(nats, options)
}

/**
 * Reads the stream of one partition, and creates it if it is missing. `options` is the layout with
 * which this process started.
 */
export async function readIngestStream(
  nats: NatsConnection,
  partition: number,
  options: IngestStreamOptions,
): Promise<IngestStream> {
  const manager = await jetstreamManager(nats, { checkAPI: false })
  const name = streamOfPartition(partition, options)
  const info = await findStream(manager, name)
  if (info !== undefined) {
    expectOwn(info.config, { ...options, server: nats.getServer() })
    expectSameLayout(layoutOf(info), options)
    if (info.config.num_replicas === 1) return describeState(info)
    // A newly elected leader may hold more than it reports, which would look like a truncated
    // stream.
    await sleep(settleMs)
    return describeState(await manager.streams.info(name))
  }
  const { layout, streams } = await ensureIngestStreams(nats, options)
  expectSameLayout(layout, options)
  const made = streams[(partition - layout.first) % layout.streams]
  assert(made !== undefined)
  return made
}

export function streamNames(layout: IngestLayout): string[] {
  return Array.from({ length: layout.streams }, (_, index) => streamName(index, layout))
}

/**
 * NATS does not detect every conflict of two streams that are created at the same moment. A process
 * that finds a bus without messages therefore checks twice, so that all processes agree on one
 * layout before the first frame.
 */
async function settleLayout(manager: JetStreamManager, options: StreamPlan): Promise<IngestLayout> {
  let before: IngestLayout | undefined
  for (let round = 0; round < settleRoundsMax; round += 1) {
    const found = await readBus(manager, options)
    if (found === undefined) {
      before = checkLayout(options)
      await addStream(manager, { ...options, index: 0 }).catch(ignoreConflict)
    } else if (!found.isFresh || (before !== undefined && isSameLayout(before, found.layout))) {
      for (const stray of found.strays) await removeEmpty(manager, stray)
      return found.layout
    } else {
      before = found.layout
    }
    await sleep(settleMs)
  }
  throw new Error('the streams kept changing while their layout was being read')
}

interface Bus {
  readonly layout: IngestLayout
  /** Whether no message was ever published on the first stream. */
  readonly isFresh: boolean
  /** Streams of a losing layout, to be deleted. */
  readonly strays: readonly StreamInfo[]
}

/** Undefined if the broker has none of our streams. */
async function readBus(manager: JetStreamManager, options: StreamPlan): Promise<Bus | undefined> {
  const names: string[] = []
  for await (const name of manager.streams.names()) {
    if (firstPartitionOf(name) === options.first) names.push(name)
  }
  const infos: StreamInfo[] = []
  for (const name of names.sort()) {
    const info = await findStream(manager, name)
    if (info === undefined) continue
    expectOwn(info.config, options)
    infos.push(info)
  }
  // A layout with messages wins over those without, then the first by name.
  const first = infos.find(({ state }) => state.last_seq > 0) ?? infos[0]
  if (first === undefined) return undefined
  const layout = layoutOf(first)
  const strays = infos.filter((info) => !isSameLayout(layoutOf(info), layout))
  return { layout, isFresh: first.state.last_seq === 0, strays }
}

/** The layout that a stream states. Throws if it states none. */
export function layoutOf({ config }: StreamInfo): IngestLayout {
  const first = firstPartitionOf(config.name) ?? 0
  // A single stream has one subject per partition. Streams of versions that had no other layout
  // state nothing else.
  if (config.name === streamBase(first)) {
    return { first, partitions: config.subjects.length, streams: 1 }
  }
  const written = /(?<!\d)(\d+) partitions in (\d+) streams/.exec(config.description ?? '')
  if (written !== null) {
    return { first, partitions: Number(written[1]), streams: Number(written[2]) }
  }
  throw new Error(
    `the description of stream ${config.name} does not state the numbers of partitions and streams`,
  )
}

function checkLayout({ first, partitions, streams }: IngestLayout): IngestLayout {
  if (streams <= partitions) return { first, partitions, streams }
  throw new Error(
    `INGEST_STREAMS is ${streams} and INGEST_PARTITIONS is ${partitions}: some streams would have no partition`,
  )
}

function expectSameLayout(found: IngestLayout, began: IngestLayout): void {
  if (isSameLayout(found, began)) return
  throw new IngestLayoutError(
    `the bus now has ${describeLayout(found)}, and this process started with ${describeLayout(began)}`,
  )
}

async function ensureStream(
  manager: JetStreamManager,
  options: StreamPlan & { readonly index: number },
): Promise<IngestStream> {
  const name = streamName(options.index, options)
  const found = await findStream(manager, name)
  if (found !== undefined) return markStream(manager, found, options)
  try {
    return await addStream(manager, options)
  } catch (error) {
    ignoreConflict(error)
    return markStream(manager, await manager.streams.info(name), options)
  }
}

/** If two installations mark one stream at once, the later mark stays; both check after a while. */
async function markStream(
  manager: JetStreamManager,
  info: StreamInfo,
  options: StreamPlan,
): Promise<IngestStream> {
  expectOwn(info.config, options)
  if (installationOfStream(info.config) !== undefined) return describeState(info)
  const { name } = info.config
  await manager.streams.update(name, marksOf(options))
  await sleep(settleMs)
  const marked = await manager.streams.info(name)
  expectOwn(marked.config, options)
  return describeState(marked)
}
