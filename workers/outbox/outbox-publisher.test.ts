/** Publishes events from the outbox on a real broker. */
import { jetstreamManager } from '@nats-io/jetstream'
import { beforeEach, expect, test } from 'vitest'
import type { NatsConnection } from '#platform/nats/nats.ts'
import { inTransaction, type Pool } from '#platform/postgres.ts'
import { decodeRecords } from '#schemas/bus/frame.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { MiB } from '#schemas/limits.ts'
import {
  type IngestStreamsFixture,
  useIngestStreams,
} from '../../test/fixtures/processes/use-ingest-streams.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { OutboxPublisher } from './outbox-publisher.ts'
import { deleteDigestedEvents } from './outbox-store.ts'

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  ;({ pg, project } = fixture)
})

const layout = { first: 0, partitions: 4, streams: 2 }
const receivedAtMs = Date.UTC(2026, 10, 20, 12)
let nats: NatsConnection
let onBus: IngestStreamsFixture['readFrames']

useIngestStreams(layout, (fixture) => {
  ;({ nats, readFrames: onBus } = fixture)
})

beforeEach(() => pg.query('delete from outbox_events'))

async function put(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => hashOf(`${project} ${index}`))
  await pg.query(
    `insert into outbox_events (event_id, project_id, received_at, payload, client)
     select id, $2, $3, '{"message":"m"}', 'sluice.monitors' from unnest($1::uuid[]) as id`,
    [ids.map(dashed), project, new Date(receivedAtMs)],
  )
  return ids
}

const unsent = async () =>
  (await pg.query('select from outbox_events where sent_at is null')).rowCount
const left = async () => (await pg.query('select from outbox_events')).rowCount

test('events are sent once, to the partitions of their ids, in numbered frames', async () => {
  const publisher = new OutboxPublisher(pg, nats, layout)
  const ids = await put(20)
  expect(await publisher.publish()).toBe(20)
  expect(await publisher.publish()).toBe(0)
  expect(await unsent()).toBe(0)
  const frames = await onBus()
  const records = frames.flatMap(decodeRecords)
  expect(records.map(({ recordId }) => recordId).toSorted()).toEqual(ids.toSorted())
  expect(records[0]).toMatchObject({
    kind: 'event',
    projectId: project,
    dsnKeyNo: 0,
    leaseNo: 0,
    receivedAtMs,
    header: { client: 'sluice.monitors' },
  })
  expect(new Set(frames.map(({ instanceId }) => instanceId)).size).toBe(1)
  expect(frames.map(({ counter }) => counter)).toEqual(frames.map(() => 0))
})

test('events stay in the outbox while the stream is full, and their frame numbers are not reused', async () => {
  const publisher = new OutboxPublisher(pg, nats, layout)
  const manager = await jetstreamManager(nats)
  const setRoom = async (bytes: number) => {
    for (const index of [0, 1]) {
      await manager.streams.update(`INGEST-${index}`, { max_bytes: bytes })
    }
  }
  const ids = await put(5)
  await setRoom(1)
  await expect(publisher.publish()).rejects.toThrow()
  expect(await unsent()).toBe(5)
  await setRoom(16 * MiB)
  expect(await publisher.publish()).toBe(5)
  expect(await unsent()).toBe(0)
  const frames = await onBus()
  expect(
    frames
      .flatMap(decodeRecords)
      .map(({ recordId }) => recordId)
      .toSorted(),
  ).toEqual(ids.toSorted())
  expect(frames.every(({ counter }) => counter === 0)).toBe(true)
})

test('two processes share the outbox', async () => {
  const ids = await put(300)
  const publishers = [1, 2].map(() => new OutboxPublisher(pg, nats, layout))
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(publishers.map((publisher) => publisher.publish()))
  }
  expect(await unsent()).toBe(0)
  const records = (await onBus()).flatMap(decodeRecords)
  expect(records.map(({ recordId }) => recordId).toSorted()).toEqual(ids.toSorted())
})

test('events without a commit after a minute are sent again until one contains them', async () => {
  const ids = await put(3)
  const publisher = new OutboxPublisher(pg, nats, layout)
  await publisher.publish()
  await pg.query(`update outbox_events set sent_at = sent_at - interval '61 seconds'`)
  expect(await new OutboxPublisher(pg, nats, layout).publish()).toBe(3)
  expect((await onBus()).flatMap(decodeRecords)).toHaveLength(6)
  await inTransaction(pg, (client) => deleteDigestedEvents(client, ids.slice(1)))
  expect(await left()).toBe(1)
})
