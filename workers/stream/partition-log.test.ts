import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { ensureIngestStreams } from '#platform/nats/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { messageMemory } from '#platform/nats/transport/message-memory.ts'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import { busMessageBytesMax, MiB, rangeBytesMax, rangeFramesMax } from '#schemas/limits.ts'
import { startBus, type TestBus, testInstallationId } from '../../test/fixtures/processes/bus.ts'
import { steppingClock } from '../../test/fixtures/workers/stepping-clock.ts'
import type { LogMessage } from '../partitions/ports.ts'
import { PartitionLog } from './partition-log.ts'

const log = createLogger('test', 'silent')
const partition = 1
let bus: TestBus
let nats: NatsConnection
let js: JetStreamClient
let opened: PartitionLog[] = []

beforeAll(async () => {
  bus = await startBus()
  nats = await connectNats(bus.url, 'test')
  js = jetstream(nats)
})

afterAll(async () => {
  await nats?.close()
  await bus?.stop()
})

beforeEach(async () => {
  await ensureIngestStreams(nats, {
    first: 0,
    partitions: 2,
    streams: 1,
    bytesMax: 512 * MiB,
    replicas: 1,
    installationId: testInstallationId,
  })
})

afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()))
  opened = []
  const manager = await js.jetstreamManager()
  await manager.streams.delete(ingestStream)
})

function open(afterSeq = 0): PartitionLog {
  const partitionLog = new PartitionLog(nats, { stream: ingestStream, partition, afterSeq }, log)
  opened.push(partitionLog)
  return partitionLog
}

/** Publishes messages with their number as content; returns their sequences. */
async function publish(count: number, to = partition, from = 0): Promise<number[]> {
  const acks = Array.from({ length: count }, (_, at) =>
    js.publish(ingestSubject(to), Buffer.from(`${from + at}`), { timeout: 60_000 }),
  )
  return (await Promise.all(acks)).map(({ seq }) => seq)
}

async function publishBytes(count: number, bytes: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await js.publish(ingestSubject(partition), Buffer.alloc(bytes, at), { timeout: 60_000 })
  }
}

const atOnce = { notBeforeMs: 0, deadlineMs: 2 ** 31 }

/** Takes messages until `count` have arrived. */
async function takeCount(partitionLog: PartitionLog, count: number): Promise<LogMessage[]> {
  const taken: LogMessage[] = []
  while (taken.length < count) taken.push(...(await partitionLog.take(systemClock, atOnce)))
  return taken
}

function texts(messages: readonly LogMessage[]): string[] {
  return messages.map(({ bytes }) => Buffer.from(bytes).toString())
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${at}`)
}

describe('Reading', () => {
  test('returns the messages of the partition in order, each once, with their sequences', async () => {
    const seqs: number[] = []
    for (let round = 0; round < 5; round += 1) {
      seqs.push(...(await publish(10, partition, round * 10)))
      await publish(3, 0)
    }
    const taken = await takeCount(open(), 50)
    expect(texts(taken)).toEqual(numbers(50))
    expect(taken.map(({ streamSeq }) => streamSeq)).toEqual(seqs)
  })

  test('gives back the memory of those messages and of no other', async () => {
    const sizes = [10, 20_000, 20_000, 15_000, 20_000, 300_000, 20_000]
    for (const [at, size] of sizes.entries()) {
      await js.publish(ingestSubject(partition), Buffer.alloc(size, at), { timeout: 60_000 })
    }
    const partitionLog = open()
    const taken = await takeCount(partitionLog, sizes.length)
    const isIntact = ({ bytes }: LogMessage, at: number) =>
      bytes.length === sizes[at] && bytes.every((byte) => byte === at)
    expect(taken.map(isIntact)).toEqual(sizes.map(() => true))
    // Messages from 16 KiB on lie in shared memory.
    const isShared = ({ bytes }: LogMessage) => bytes.buffer instanceof SharedArrayBuffer
    expect(taken.map(isShared)).toEqual(sizes.map((size) => size >= 16_384))
    const { usedBytes } = messageMemory
    partitionLog.release([1, 3, 4, 5].map((at) => taken[at]!))
    const givenBack = usedBytes - messageMemory.usedBytes
    expect(givenBack).toBeGreaterThan(20_000 + 20_000 + 300_000)
    expect(givenBack).toBeLessThan(20_000 + 20_000 + 300_000 + 1_000)
    const again = await takeCount(open(), sizes.length)
    expect(again.map(isIntact)).toEqual(sizes.map(() => true))
    expect([0, 2, 3, 6].map((at) => isIntact(taken[at]!, at))).not.toContain(false)
  })

  test('gives the memory of the messages back that nobody took before it was closed', async () => {
    await publishBytes(20, 100_000)
    const partitionLog = open()
    await expect.poll(() => partitionLog.lastSeq).toBe(20)
    const { usedBytes } = messageMemory
    await partitionLog.close()
    expect(usedBytes - messageMemory.usedBytes).toBeGreaterThanOrEqual(20 * 100_000)
  })

  test('gives the memory of the messages back that wait in the client when it is closed', async () => {
    const { usedBytes } = messageMemory
    // More than it buffers, and less than the broker sends ahead.
    await publishBytes(220, 100_000)
    const partitionLog = open()
    const received = () => messageMemory.usedBytes - usedBytes
    await expect.poll(received).toBeGreaterThanOrEqual(220 * 100_000)
    expect(partitionLog.lastSeq).toBeLessThan(220)
    await partitionLog.close()
    await expect.poll(received).toBe(0)
  })

  test('begins after the given sequence', async () => {
    const seqs = await publish(10)
    const taken = await takeCount(open(seqs[6]), 3)
    expect(texts(taken)).toEqual(['7', '8', '9'])
  })

  test('also returns messages that are published later', async () => {
    const partitionLog = open()
    await publish(2)
    expect(texts(await takeCount(partitionLog, 2))).toEqual(['0', '1'])
    await publish(1, partition, 2)
    expect(texts(await partitionLog.take(systemClock, atOnce))).toEqual(['2'])
  })
})

describe('Taking', () => {
  test('returns no message at the deadline of an idle log', async () => {
    const clock = steppingClock(100)
    const taken = await open().take(clock, { notBeforeMs: 0, deadlineMs: 250 })
    expect(taken).toEqual([])
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(250)
  })

  test('waits for more messages until `notBeforeMs`', async () => {
    const partitionLog = open()
    await publish(1)
    const time = { ms: 0 }
    const clock: Clock = { nowMs: () => 0, monotonicMs: () => time.ms }
    let taken: readonly LogMessage[] | undefined
    const taking = partitionLog.take(clock, { notBeforeMs: 500, deadlineMs: 1_000 })
    void taking.then((messages) => {
      taken = messages
    })
    await publish(2, partition, 1)
    await haveArrived(3)
    expect(taken).toBeUndefined()
    time.ms = 500
    expect(texts(await taking)).toEqual(['0', '1', '2'])
  })

  test('returns at most the maximum number of messages; the rest is the next range', async () => {
    const partitionLog = open()
    await publish(rangeFramesMax + 10)
    // A full range is returned at once, without waiting for `notBeforeMs`.
    const never = { notBeforeMs: Number.MAX_SAFE_INTEGER, deadlineMs: Number.MAX_SAFE_INTEGER }
    const clock: Clock = { nowMs: () => 0, monotonicMs: () => Number.MAX_SAFE_INTEGER - 1_000 }
    const first = await partitionLog.take(clock, never)
    expect(first).toHaveLength(rangeFramesMax)
    const rest = await takeCount(partitionLog, 10)
    expect(texts([...first, ...rest])).toEqual(numbers(rangeFramesMax + 10))
  })

  test('ends a range with the message that fills it', async () => {
    const partitionLog = open()
    const full = Math.ceil(rangeBytesMax / (3 * MiB))
    await publishBytes(full + 2, 3 * MiB)
    const never = { notBeforeMs: Number.MAX_SAFE_INTEGER, deadlineMs: Number.MAX_SAFE_INTEGER }
    const clock: Clock = { nowMs: () => 0, monotonicMs: () => Number.MAX_SAFE_INTEGER - 1_000 }
    const first = await partitionLog.take(clock, never)
    expect(first.map(({ bytes }) => bytes[0])).toEqual(Array.from({ length: full }, (_, at) => at))
  })

  test('takes a planned range exactly, also when many messages follow it', async () => {
    const seqs = await publish(20)
    const partitionLog = open(seqs[2])
    await haveArrived(17)
    expect(texts((await partitionLog.takeThrough(seqs[8]!)) ?? [])).toEqual(numbers(9).slice(3))
    expect(texts(await takeCount(partitionLog, 11))).toEqual(numbers(20).slice(9))
  })

  test('waits for the last message of a planned range', async () => {
    const partitionLog = open()
    const seqs = await publish(3)
    const taking = partitionLog.takeThrough(seqs[2]! + 2)
    await publish(2, partition, 3)
    expect(texts((await taking) ?? [])).toEqual(numbers(5))
  })

  test('close ends a wait without messages', async () => {
    const partitionLog = open()
    const taking = partitionLog.take(systemClock, atOnce)
    await partitionLog.close()
    expect(await taking).toEqual([])
    const another = open()
    const through = another.takeThrough(1_000)
    await another.close()
    expect(await through).toBeUndefined()
  })
})

test('a log that is not read stops fetching and then returns every message', async () => {
  const partitionLog = open()
  const messageBytes = 1 * MiB
  const messages = (bytes: number) => Math.floor(bytes / messageBytes)
  const count = messages(4 * rangeBytesMax)
  await publishBytes(count, messageBytes)
  // A range and the fetch in progress: the broker must have sent no more than that.
  const held = rangeBytesMax + 4 * busMessageBytesMax
  await expect.poll(delivered).toBeGreaterThanOrEqual(messages(rangeBytesMax))
  // Enough time to fetch everything if nothing stopped it.
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(await delivered()).toBeLessThanOrEqual(messages(held))
  const taken = await takeCount(partitionLog, count)
  expect(taken.map(({ bytes }) => bytes[0])).toEqual(Array.from({ length: count }, (_, at) => at))
})

test('every fetch has room for the largest message', async () => {
  const asked: number[] = []
  const subscription = nats.subscribe('$JS.API.CONSUMER.MSG.NEXT.>', {
    callback: (_error, message) => {
      asked.push(message.json<{ max_bytes: number }>().max_bytes)
    },
  })
  const count = 24
  await publishBytes(count, 3 * MiB)
  await takeCount(open(), count)
  subscription.unsubscribe()
  expect(asked.length).toBeGreaterThan(3)
  // In addition to the payload, the broker counts subject and headers.
  expect(Math.min(...asked)).toBeGreaterThan(busMessageBytesMax + 64 * 1024)
})

test('after a restart of a killed broker the remaining messages are returned once each', async () => {
  await publish(3_000)
  const partitionLog = open()
  const before = await partitionLog.take(systemClock, atOnce)
  await bus.server.kill('SIGKILL')
  await bus.server.start()
  // Publishes until it is acknowledged; the broker stores it once.
  const publishLate = () =>
    js.publish(ingestSubject(partition), Buffer.from('3000'), { timeout: 500, msgID: 'late' })
  await expect.poll(() => publishLate().catch(() => undefined)).toBeDefined()
  const after = await takeCount(partitionLog, 3_001 - before.length)
  expect(texts([...before, ...after])).toEqual(numbers(3_001))
})

/** So many messages wait in the one log that is open. */
async function haveArrived(count: number): Promise<void> {
  await expect.poll(delivered).toBe(count)
  await nats.flush()
  await new Promise((resolve) => setImmediate(resolve))
}

/** How many messages the broker has sent to the one log that is open. */
async function delivered(): Promise<number> {
  const manager = await js.jetstreamManager()
  const consumers = await manager.consumers.list(ingestStream).next()
  return consumers[0]?.delivered.consumer_seq ?? 0
}

test('messages that were under way when the connection ended are read again', async () => {
  const count = 8
  await publishBytes(count, MiB)
  const own = await connectNats(bus.url, 'reader')
  try {
    const reader = new PartitionLog(own, { stream: ingestStream, partition, afterSeq: 0 }, log)
    opened.push(reader)
    const taken = await reader.take(systemClock, atOnce)
    // The broker is sending the next ones, and no later message shows that they are missing.
    await own.reconnect()
    taken.push(...(await takeCount(reader, count - taken.length)))
    const seqs = taken.map(({ streamSeq }) => streamSeq)
    expect(seqs).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    await reader.close()
  } finally {
    await own.close()
  }
})
