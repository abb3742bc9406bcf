import { randomUUID } from 'node:crypto'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ForeignInstallationError } from '#platform/installation/installation.ts'
import {
  createIngestStreams,
  ensureIngestStreams,
  IngestLayoutError,
  readIngestStream,
} from '#platform/nats/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { installationOfStream } from '#platform/nats/stream-mark.ts'
import { partitionsOfStream, streamOfPartition } from '#platform/nats/stream-of-partition.ts'
import { ingestStream } from '#schemas/bus/subjects.ts'
import { MiB } from '#schemas/limits.ts'
import { startBus, type TestBus } from '../fixtures/processes/bus.ts'

let bus: TestBus
let nats: NatsConnection

beforeAll(async () => {
  bus = await startBus()
  nats = await connectNats(bus.url, 'test')
})

afterAll(async () => {
  await nats?.close()
  await bus?.stop()
})

afterEach(async () => {
  for (const name of await names()) await (await manager()).streams.delete(name)
})

const manager = () => jetstreamManager(nats)
const installationId = randomUUID()
const wanted = (partitions: number, streams: number, owner = installationId) => ({
  first: 0,
  partitions,
  streams,
  bytesMax: 16 * MiB,
  replicas: 1,
  installationId: owner,
})

async function names(): Promise<string[]> {
  const all: string[] = []
  for await (const name of (await manager()).streams.names()) all.push(name)
  return all.sort()
}

async function subjectsOf(name: string): Promise<string[]> {
  return (await (await manager()).streams.info(name)).config.subjects
}

test('a broker without room for the streams is refused with the variable to change', async () => {
  const asked = { ...wanted(4, 2), bytesMax: 10 ** 15 }
  await expect(ensureIngestStreams(nats, asked)).rejects.toThrow(
    /INGEST-0 .*2 stream\(s\) of 10{15} bytes .*INGEST_STREAM_BYTES_MAX/,
  )
})

// biome-ignore format: the columns are the point
test.each([
  ['a single stream has no number      ', 4, 1, { INGEST: [0, 1, 2, 3] }],
  ['partitions are dealt round robin   ', 7, 3, { 'INGEST-0': [0, 3, 6], 'INGEST-1': [1, 4], 'INGEST-2': [2, 5] }],
  ['as many streams as partitions      ', 2, 2, { 'INGEST-0': [0], 'INGEST-1': [1] }],
] as const)('%s', async (_name, partitions, streams, want) => {
  const made = await ensureIngestStreams(nats, wanted(partitions, streams))
  expect(made.layout).toEqual({ first: 0, partitions, streams })
  expect(made.streams.map(({ name }) => name)).toEqual(Object.keys(want))
  expect(await names()).toEqual(Object.keys(want))
  for (const [index, [name, expected]] of Object.entries(want).entries()) {
    expect(await subjectsOf(name)).toEqual(expected.map((partition: number) => `ingest.${partition}`))
    expect(partitionsOfStream(index, made.layout)).toEqual(expected)
    for (const partition of expected) expect(streamOfPartition(partition, made.layout)).toBe(name)
  }
})

describe('Streams that a killed command left behind', () => {
  const next = { ...wanted(8, 1), first: 4 }

  test('are replaced while they never held a message', async () => {
    await ensureIngestStreams(nats, { ...next, partitions: 3, streams: 2 })
    const { layout } = await createIngestStreams(nats, next)
    expect(layout).toEqual({ first: 4, partitions: 8, streams: 1 })
    expect(await names()).toEqual(['INGEST_4'])
  })

  test('stay when they hold messages', async () => {
    await ensureIngestStreams(nats, { ...next, partitions: 3, streams: 2 })
    await jetstream(nats).publish('ingest.5', 'frame')
    const { layout } = await createIngestStreams(nats, next)
    expect(layout).toEqual({ first: 4, partitions: 3, streams: 2 })
    expect(await names()).toEqual(['INGEST_4-0', 'INGEST_4-1'])
  })
})

describe('A layout that exists', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['more partitions', wanted(4, 1), wanted(8, 1)],
    ['more streams   ', wanted(4, 1), wanted(4, 3)],
    ['fewer streams  ', wanted(6, 3), wanted(6, 1)],
    ['another of both', wanted(6, 3), wanted(8, 2)],
    ['nonsense       ', wanted(2, 2), wanted(2, 5)],
  ])('overrides a configuration with %s', async (_name, first, second) => {
    const { layout, streams } = await ensureIngestStreams(nats, first)
    const found = await ensureIngestStreams(nats, second)
    expect(found.layout).toEqual(layout)
    expect(found.streams).toEqual(streams)
  })

  test.each([1, 2, 3])('is the same for all processes that start at once (round %i)', async () => {
    const asked = [wanted(6, 3), wanted(4, 1), wanted(8, 2), wanted(6, 3), wanted(5, 5)]
    const others = await Promise.all(asked.map(() => connectNats(bus.url, 'test')))
    const found = await Promise.all(
      asked.map((options, at) => ensureIngestStreams(others[at]!, options)),
    )
    await Promise.all(others.map((other) => other.close()))
    expect(new Set(found.map(({ layout }) => JSON.stringify(layout))).size).toBe(1)
    const { streams, layout } = found[0]!
    for (const one of found) expect(one).toEqual({ streams, layout })
    expect(await names()).toEqual(streams.map(({ name }) => name).sort())
  })

  test('is completed when the process that created it died halfway', async () => {
    const { streams } = await ensureIngestStreams(nats, wanted(6, 3))
    await (await manager()).streams.delete('INGEST-0')
    await (await manager()).streams.delete('INGEST-2')
    const found = await ensureIngestStreams(nats, wanted(4, 1))
    expect(found.layout).toEqual({ first: 0, partitions: 6, streams: 3 })
    const isNew = found.streams.map(({ createdAt }, at) => createdAt !== streams[at]!.createdAt)
    expect(isNew).toEqual([true, false, true])
  })

  test('is read from the subjects of a stream that has no description', async () => {
    const subjects = ['ingest.0', 'ingest.1', 'ingest.2']
    await (await manager()).streams.add({ name: ingestStream, subjects })
    const { layout } = await ensureIngestStreams(nats, wanted(8, 2))
    expect(layout).toEqual({ first: 0, partitions: 3, streams: 1 })
  })
})

test('more streams than partitions are refused on an empty bus', async () => {
  await expect(ensureIngestStreams(nats, wanted(2, 3))).rejects.toThrow(
    'INGEST_STREAMS is 3 and INGEST_PARTITIONS is 2',
  )
  expect(await names()).toEqual([])
})

describe('Reading the stream of one partition', () => {
  test('returns the stream of the partition, and recreates it if it is missing', async () => {
    const { streams } = await ensureIngestStreams(nats, wanted(6, 3))
    expect(await readIngestStream(nats, 4, wanted(6, 3))).toEqual(streams[1])
    await (await manager()).streams.delete('INGEST-1')
    const fresh = await readIngestStream(nats, 4, wanted(6, 3))
    expect(fresh.name).toBe('INGEST-1')
    expect(fresh.createdAt).not.toBe(streams[1]!.createdAt)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['fewer partitions', wanted(4, 1), wanted(3, 1)],
    ['other streams   ', wanted(6, 3), wanted(6, 2)],
    ['a single stream ', wanted(6, 3), wanted(6, 1)],
  ])('fails when the bus was set up again with %s', async (_name, before, after) => {
    await ensureIngestStreams(nats, before)
    for (const name of await names()) await (await manager()).streams.delete(name)
    await ensureIngestStreams(nats, after)
    await expect(readIngestStream(nats, 0, before)).rejects.toThrow(IngestLayoutError)
  })
})

describe('Streams of another installation', () => {
  const other = randomUUID()

  test('are refused with an error that names both, and are not changed', async () => {
    const { streams } = await ensureIngestStreams(nats, wanted(4, 2))
    const refused = ensureIngestStreams(nats, wanted(4, 2, other))
    await expect(refused).rejects.toThrow(ForeignInstallationError)
    await expect(refused).rejects.toThrow(installationId)
    await expect(refused).rejects.toThrow(other)
    await expect(readIngestStream(nats, 0, wanted(4, 2, other))).rejects.toThrow(installationId)
    expect((await ensureIngestStreams(nats, wanted(4, 2))).streams).toEqual(streams)
  })

  test('are refused also when they are empty and laid out differently', async () => {
    await ensureIngestStreams(nats, wanted(4, 1))
    await expect(ensureIngestStreams(nats, wanted(6, 3, other))).rejects.toThrow(other)
    expect(await names()).toEqual([ingestStream])
  })

  test.each([1, 2, 3])(
    'one of two installations that start at once on an empty bus gets it (round %i)',
    async () => {
      const second = await connectNats(bus.url, 'test')
      const ends = await Promise.allSettled([
        ensureIngestStreams(nats, wanted(4, 1)),
        ensureIngestStreams(second, wanted(4, 1, other)),
      ])
      await second.close()
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    },
  )
})

describe('Streams of a version that did not mark them', () => {
  const plain = async (name: string, subjects: string[], description?: string) => {
    await (await manager()).streams.add({ name, subjects, ...(description ? { description } : {}) })
  }

  // biome-ignore format: the columns are the point
  test.each([
    ['one without a description', [[ingestStream, ['ingest.0', 'ingest.1'], undefined]]],
    ['one                      ', [[ingestStream, ['ingest.0', 'ingest.1'], 'Frames of Sluice: 2 partitions in 1 streams.']]],
    ['several                  ', [['INGEST-0', ['ingest.0'], 'Frames of Sluice: 2 partitions in 2 streams.'], ['INGEST-1', ['ingest.1'], 'Frames of Sluice: 2 partitions in 2 streams.']]],
  ] as const)('belong to the installation that opens them first: %s', async (_name, streams) => {
    for (const [name, subjects, description] of streams) await plain(name, [...subjects], description)
    const before = await Promise.all(streams.map(async ([name]) => (await (await manager()).streams.info(name)).created))
    const { layout, streams: found } = await ensureIngestStreams(nats, wanted(8, 4))
    expect(layout).toEqual({ first: 0, partitions: 2, streams: streams.length })
    expect(found.map(({ createdAt }) => createdAt)).toEqual(before)
    for (const [name, subjects] of streams) {
      const { config } = await (await manager()).streams.info(name)
      expect(installationOfStream(config)).toBe(installationId)
      expect(config.metadata?.['sluice-installation']).toBe(installationId)
      expect(config.subjects).toEqual(subjects)
    }
    await expect(ensureIngestStreams(nats, wanted(8, 4, randomUUID()))).rejects.toThrow(installationId)
  })

  test('are marked in the description where the server has no metadata', async () => {
    await plain(ingestStream, ['ingest.0'])
    const old = Object.create(nats, { info: { value: { ...nats.info, version: '2.9.10' } } })
    await ensureIngestStreams(old, wanted(1, 1))
    const { config } = await (await manager()).streams.info(ingestStream)
    expect(config.metadata?.['sluice-installation']).toBeUndefined()
    expect(config.description).toContain(installationId)
    await expect(ensureIngestStreams(old, wanted(1, 1, randomUUID()))).rejects.toThrow(
      installationId,
    )
  })
})
