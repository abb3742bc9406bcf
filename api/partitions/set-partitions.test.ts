/** Which partition numbers a new layout gets, beside stores that know more than Postgres. */
import { randomUUID } from 'node:crypto'
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { ensureIngestStreams } from '#platform/nats/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import type { Pool } from '#platform/postgres.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { MiB } from '#schemas/limits.ts'
import { startBus, type TestBus, testInstallationId } from '../../test/fixtures/processes/bus.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { createClickHouseReader, createPostgres } from '../database.ts'
import { setPartitions } from './set-partitions.ts'

let bus: TestBus
let nats: NatsConnection
let manager: JetStreamManager
let pg: Pool
let clickhouse: ClickHouseClient

usePostgres((fixture) => {
  pg = fixture.pg
  clickhouse ??= createClickHouse(fixture.stores.clickhouseUrl, 'test')
})

beforeAll(async () => {
  bus = await startBus()
  nats = await connectNats(bus.url, 'test')
  manager = await jetstreamManager(nats)
})

afterAll(async () => {
  await nats?.close()
  await clickhouse?.close()
  await bus?.stop()
})

const resetLayout = `update installation set first_partition = 0, partitions = 4, streams = 1,
  next_first_partition = null, next_partitions = null, next_streams = null`

beforeEach(async () => {
  await pg.query(resetLayout)
  await clickhouse.command({ query: 'truncate table ranges' })
  for await (const name of manager.streams.names()) await manager.streams.delete(name)
  await addStreams({ first: 0, partitions: 4, streams: 1 })
  return async () => {
    await pg.query(resetLayout)
  }
})

const addStreams = (layout: IngestLayout, installationId = testInstallationId) =>
  ensureIngestStreams(nats, { ...layout, installationId, bytesMax: MiB, replicas: 1 })

const publishTo = (partition: number) => jetstream(nats).publish(`ingest.${partition}`, 'frame')

async function addNote(partition: number): Promise<void> {
  const values = [
    { partition, stream_generation: 1, committed_seq: 0, planned_seq: 9, kind: 'planned' },
  ]
  await clickhouse.insert({ table: 'ranges', values, format: 'JSONEachRow' })
}

const set = (count: number, streams = 1) =>
  setPartitions(
    {
      pg: createPostgres(pg),
      clickhouse: createClickHouseReader(clickhouse),
      nats,
      installation: { id: testInstallationId, mark: 1 },
    },
    { count, streams, bytesMax: MiB, replicas: 1 },
  )

test('a layout begins after the present one', async () => {
  expect(await set(2)).toEqual({ first: 4, partitions: 2, streams: 1 })
  // The same request again, as after a lost answer.
  expect(await set(2)).toEqual({ first: 4, partitions: 2, streams: 1 })
})

describe('Beside a Postgres that was restored', () => {
  test.each([
    ['below the end of the present layout', 3, 4],
    ['right after it', 4, 5],
    ['far beyond it', 40, 41],
  ])('a partition in ClickHouse %s', async (_where, stored, first) => {
    await addNote(stored)
    expect(await set(2)).toEqual({ first, partitions: 2, streams: 1 })
    const { config } = await manager.streams.info(`INGEST_${first}`)
    expect(config.subjects).toEqual([`ingest.${first}`, `ingest.${first + 1}`])
  })

  test('streams with frames become the next layout, also of the present size', async () => {
    await addNote(9)
    await addStreams({ first: 6, partitions: 4, streams: 1 })
    await publishTo(7)
    await expect(set(2)).rejects.toThrow('partitions set --count 4 --streams 1')
    const { rows } = await pg.query('select next_partitions from installation')
    expect(rows).toEqual([{ next_partitions: null }])
    expect(await set(4)).toEqual({ first: 6, partitions: 4, streams: 1 })
    expect((await manager.streams.info('INGEST_6')).state.last_seq).toBe(1)
  })

  test('of two layouts with frames, the earlier one is the next', async () => {
    for (const first of [4, 6]) await addStreams({ first, partitions: 2, streams: 1 })
    await publishTo(7)
    await publishTo(5)
    expect(await set(2)).toEqual({ first: 4, partitions: 2, streams: 1 })
  })

  test.each([
    ['at the same number are created again', 4, 3, 4],
    ['beyond it are skipped', 5, 3, 8],
    ['far beyond it are skipped too', 20, 3, 23],
  ])('streams without frames %s', async (_what, found, partitions, first) => {
    await addStreams({ first: found, partitions, streams: 1 })
    expect(await set(2)).toEqual({ first, partitions: 2, streams: 1 })
  })

  test('streams of another installation do not count', async () => {
    await addStreams({ first: 20, partitions: 2, streams: 1 }, randomUUID())
    await publishTo(20)
    expect(await set(2)).toEqual({ first: 4, partitions: 2, streams: 1 })
  })

  test('numbers that do not fit into two bytes are refused', async () => {
    await addNote(65_533)
    await expect(set(2)).rejects.toThrow('All partition numbers have been used')
  })
})
