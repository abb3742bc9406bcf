/**
 * The streams that carry every frame. Who starts first lays them out, and everyone else reads that layout back: the
 * numbers of partitions and streams are written in each stream, so that two processes cannot disagree about them,
 * whatever their environments say. So is the installation they belong to: a process of another one refuses to use them.
 */
import assert from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { ingestStream } from '#schemas/bus/subjects.ts'
import {
  addStream,
  describeState,
  findStream,
  type IngestStream,
  ignoreConflict,
  removeEmpty,
} from './stream-calls.ts'
import { canHoldMetadata, expectOwn, installationOfStream, marksOf } from './stream-mark.ts'
import { streamName, streamOfPartition } from './stream-of-partition.ts'

export type { IngestStream } from './stream-calls.ts'

export interface IngestLayout {
  readonly partitions: number
  readonly streams: number
}

export interface IngestStreamOptions extends IngestLayout {
  /** Whose streams they are. */
  readonly installationId: string
  /** Of each stream. */
  readonly bytesMax: number
  readonly replicas: number
}

export interface IngestStreams {
  /** As it is, whatever was asked for. */
  readonly layout: IngestLayout
  /** By index: partition p lives in stream p mod n. */
  readonly streams: readonly IngestStream[]
}

/** Somebody has removed the streams and laid them out differently: a process that began with the former layout must end. */
export class IngestLayoutError extends Error {}

/** Longer than a broker takes from looking for a conflict to having made a stream. */
const settleMs = 250
const settleRoundsMax = 20
const ourStream = new RegExp(`^${ingestStream}(-\\d+)?$`)

interface StreamPlan extends IngestStreamOptions {
  readonly canHoldMetadata: boolean
  readonly server: string
}

/**
 * Creates what is missing. An existing layout wins over the one that is asked for. Streams of a version that did not mark them
 * become this installation's. Throws `ForeignInstallationError` when they are marked as another one's.
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
    expectOwn(info.config, { ...options, server: nats.getServer() })
    expectSameLayout(layoutOf(info), options)
    if (info.config.num_replicas === 1) return describeState(info)
    // A leader that was elected a moment ago may hold more than it says: it would look as if the end had been lost.
    await sleep(settleMs)
    return describeState(await manager.streams.info(name))
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

/**
 * No broker refuses every conflict of two streams that are made at the same moment. So whoever meets a bus that has
 * carried nothing yet looks twice, and everybody sees the same winner before the first frame.
 */
async function settleLayout(manager: JetStreamManager, options: StreamPlan): Promise<IngestLayout> {
  let before: IngestLayout | undefined
  for (let round = 0; round < settleRoundsMax; round += 1) {
    const found = await readBus(manager, options)
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
async function readBus(manager: JetStreamManager, options: StreamPlan): Promise<Bus | undefined> {
  const names: string[] = []
  for await (const name of manager.streams.names()) if (ourStream.test(name)) names.push(name)
  const infos: StreamInfo[] = []
  for (const name of names.sort()) {
    const info = await findStream(manager, name)
    if (info === undefined) continue
    expectOwn(info.config, options)
    infos.push(info)
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
  options: StreamPlan & { readonly index: number },
): Promise<IngestStream> {
  const name = streamName(options.index, options.streams)
  const found = await findStream(manager, name)
  if (found !== undefined) return markStream(manager, found, options)
  try {
    return await addStream(manager, options)
  } catch (error) {
    ignoreConflict(error)
    return markStream(manager, await manager.streams.info(name), options)
  }
}

/** Of two installations that mark one stream at once, the later mark stays, and both look after a while. */
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
