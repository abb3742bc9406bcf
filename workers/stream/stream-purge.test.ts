import { type JetStreamManager, jetstream } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { ensureIngestStreams, type IngestStream } from '#platform/nats/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import { MiB } from '#schemas/limits.ts'
import { startBus, type TestBus, testInstallationId } from '../../test/fixtures/processes/bus.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { purgeCommitted } from './stream-purge.ts'

const layout = { first: 0, partitions: 3, streams: 1 }
let stores: TestStores
let bus: TestBus
let pg: Pool
let nats: NatsConnection
let manager: JetStreamManager
let stream: IngestStream

beforeAll(async () => {
  ;[stores, bus] = await Promise.all([startStores(), startBus()])
  const options = { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 2 }
  pg = createPool(options, createLogger('test', 'silent'))
  nats = await connectNats(bus.url, 'test')
  manager = await jetstream(nats).jetstreamManager()
})

afterAll(async () => {
  await nats?.close()
  await pg?.end()
  await Promise.all([stores?.stop(), bus?.stop()])
})

beforeEach(async () => {
  ;[stream] = (await layOut(layout)) as [IngestStream]
})

afterEach(async () => {
  for await (const name of manager.streams.names()) await manager.streams.delete(name)
  await pg.query('delete from partition_cursors')
})

async function layOut(wanted: IngestLayout): Promise<readonly IngestStream[]> {
  const options = { ...wanted, bytesMax: 16 * MiB, replicas: 1, installationId: testInstallationId }
  return (await ensureIngestStreams(nats, options)).streams
}

/** One message for each partition named, in this order: the first has sequence 1. */
async function publish(...partitions: readonly number[]): Promise<void> {
  for (const partition of partitions) {
    await jetstream(nats).publish(ingestSubject(partition), Buffer.from('frame'))
  }
}

async function setCommitted(
  committed: Readonly<Record<number, number>>,
  incarnation = stream.createdAt,
): Promise<void> {
  for (const [partition, seq] of Object.entries(committed)) {
    await pg.query(
      `insert into partition_cursors (partition, epoch, incarnation, generation, committed_seq, planned_seq)
       values ($1, 1, $2, 1, $3, $3)
       on conflict (partition) do update set incarnation = $2, committed_seq = $3, planned_seq = $3`,
      [partition, incarnation, seq],
    )
  }
}

async function left(): Promise<{ first: number; messages: number }> {
  const { state } = await manager.streams.info(ingestStream)
  return { first: state.first_seq, messages: state.messages }
}

const purge = async () => (await purgeCommitted(manager, pg, { index: 0, layout })).dropped

test('what every partition has committed is dropped, and nothing behind it', async () => {
  await publish(0, 1, 2, 0, 1, 2)
  await setCommitted({ 0: 4, 1: 2, 2: 6 })
  // Partition 1 still needs 5, so 5 and 6 stay.
  expect(await purge()).toBe(4)
  expect(await left()).toEqual({ first: 5, messages: 2 })
  await setCommitted({ 1: 5 })
  expect(await purge()).toBe(2)
  expect((await left()).messages).toBe(0)
})

test('the first message that one partition has not committed holds back all behind it', async () => {
  await publish(0, 1, 1, 1, 2)
  await setCommitted({ 0: 0, 1: 4, 2: 5 })
  expect(await purge()).toBe(0)
  expect(await left()).toEqual({ first: 1, messages: 5 })
})

test('a partition that is idle holds nothing back', async () => {
  await publish(0, 1, 1, 1)
  await setCommitted({ 0: 1, 1: 3, 2: 0 })
  expect(await purge()).toBe(3)
  expect(await left()).toEqual({ first: 4, messages: 1 })
})

test('messages of a partition that nobody has taken over yet are kept', async () => {
  await publish(0, 0, 1, 0)
  await setCommitted({ 0: 4 })
  expect(await purge()).toBe(2)
  expect(await left()).toEqual({ first: 3, messages: 2 })
})

test('what is planned and not committed is kept', async () => {
  await publish(0, 0)
  await setCommitted({ 0: 0 })
  await pg.query('update partition_cursors set planned_seq = 2')
  expect(await purge()).toBe(0)
  expect((await left()).messages).toBe(2)
})

test('cursors of another stream say nothing about this one', async () => {
  await publish(0, 1, 2)
  await setCommitted({ 0: 3, 1: 3, 2: 3 }, 'a stream that is gone')
  expect(await purge()).toBe(0)
  expect((await left()).messages).toBe(3)
})

test('an empty stream has nothing to drop, and neither has one that was purged before', async () => {
  expect(await purge()).toBe(0)
  await publish(0)
  await setCommitted({ 0: 1 })
  expect(await purge()).toBe(1)
  expect(await purge()).toBe(0)
  await publish(2)
  expect(await purge()).toBe(0)
  expect(await left()).toEqual({ first: 2, messages: 1 })
})

test('of several streams each is freed by what its own partitions have committed', async () => {
  await manager.streams.delete(ingestStream)
  const two = { first: 0, partitions: 4, streams: 2 }
  const streams = await layOut(two)
  await publish(0, 2, 0, 1, 3, 1)
  await setCommitted({ 0: 3, 2: 2 }, streams[0]!.createdAt)
  await setCommitted({ 1: 1, 3: 0 }, streams[1]!.createdAt)
  const dropped = async (index: number) =>
    (await purgeCommitted(manager, pg, { index, layout: two })).dropped
  expect(await dropped(0)).toBe(3)
  expect(await dropped(1)).toBe(1)
  expect((await manager.streams.info('INGEST-1')).state.first_seq).toBe(2)
})

test('how full the stream was is said as well', async () => {
  expect((await purgeCommitted(manager, pg, { index: 0, layout })).fullRatio).toBe(0)
  await jetstream(nats).publish(ingestSubject(0), Buffer.alloc(2 * MiB))
  await setCommitted({ 0: 1 })
  const { dropped, fullRatio } = await purgeCommitted(manager, pg, { index: 0, layout })
  expect(dropped).toBe(1)
  expect(fullRatio).toBeCloseTo(2 / 16, 2)
})
