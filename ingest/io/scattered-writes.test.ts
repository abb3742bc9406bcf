import { createHash, randomBytes } from 'node:crypto'
import { headers } from '@nats-io/nats-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { startBus, type TestBus } from '../../test/fixtures/processes/bus.ts'
import { scatterWrites } from './scattered-writes.ts'

let bus: TestBus
let publisher: NatsConnection
let reader: NatsConnection

beforeAll(async () => {
  bus = await startBus()
  publisher = await connectNats(bus.url, 'publisher')
  reader = await connectNats(bus.url, 'reader')
})

afterAll(async () => {
  await publisher?.close()
  await reader?.close()
  await bus?.stop()
})

/** Publishes payloads of these sizes in one turn, and returns what a subscriber receives. */
async function published(sizes: readonly number[]) {
  const received: string[] = []
  const subscription = reader.subscribe('ingest.test', {
    callback: (_error, message) => {
      received.push(`${message.headers?.get('id')} ${digestOf(message.data)}`)
    },
  })
  await reader.flush()
  const sent: string[] = []
  for (const [index, size] of sizes.entries()) {
    const bytes = randomBytes(size)
    sent.push(`${index} ${digestOf(bytes)}`)
    const fields = headers()
    fields.set('id', `${index}`)
    publisher.publish('ingest.test', bytes, { headers: fields })
  }
  await publisher.flush()
  await expect.poll(() => received.length).toBe(sizes.length)
  subscription.unsubscribe()
  return { sent, received }
}

/** A flush fails while the connection is down. */
async function isConnected(connection: NatsConnection): Promise<void> {
  const flush = () =>
    connection.flush().then(
      () => true,
      () => false,
    )
  await expect.poll(flush).toBe(true)
}

function digestOf(bytes: Uint8Array): string {
  return `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`
}

/** Empty, small, at the border between joined and scattered, and as large as a frame may be. */
const sizes = [0, 1, 4_000, 4_096, 4_097, 65_536, 1, 300_000, 0, busMessageBytesMax - 1_000, 7]

test('payloads of all sizes arrive whole and in order, also after a reconnect', async () => {
  expect(scatterWrites(publisher)).toBe(true)
  for (const only of [[0], [1], [4_097]]) {
    const { sent, received } = await published(only)
    expect(received).toEqual(sent)
  }
  const first = await published(sizes)
  expect(first.received).toEqual(first.sent)
  await publisher.reconnect()
  await isConnected(publisher)
  const second = await published(sizes)
  expect(second.received).toEqual(second.sent)
})

test('output that is written while the server is away is dropped, as without it', async () => {
  await bus.server.stop()
  for (let count = 0; count < 100; count += 1) publisher.publish('ingest.test', randomBytes(8_192))
  await bus.server.start()
  await isConnected(publisher)
  await isConnected(reader)
  const { sent, received } = await published(sizes)
  expect(received).toEqual(sent)
})

// biome-ignore format: the columns are the point
test.each([
  ['no protocol     ', {}],
  ['other buffers   ', { protocol: { outbound: {}, flushPending: () => {}, infoReceived: true, connected: true } }],
  ['no socket       ', { protocol: { outbound: { buffers: [], byteLength: 0 }, flushPending: () => {}, infoReceived: true, connected: true, transport: {} } }],
])('a connection of another library version is left as it is: %s', (_name, connection) => {
  const before = JSON.stringify(connection)
  expect(scatterWrites(connection as unknown as NatsConnection)).toBe(false)
  expect(JSON.stringify(connection)).toBe(before)
})
