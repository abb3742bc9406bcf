/** When workers move to the next layout, on a real broker and a real Postgres. */
import { randomUUID } from 'node:crypto'
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { ensureIngestStreams, readIngestStream } from '#platform/nats/ingest-streams.ts'
import type { NatsConnection } from '#platform/nats/nats.ts'
import type { Pool } from '#platform/postgres.ts'
import { partitionsOf } from '#schemas/bus/layout.ts'
import { MiB } from '#schemas/limits.ts'
import { testInstallationId } from '../../test/fixtures/processes/bus.ts'
import { useIngestStreams } from '../../test/fixtures/processes/use-ingest-streams.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { takeOverCursor } from '../partitions/cursor-store.ts'
import { FencedError } from '../partitions/ports.ts'
import { followLayout } from './switch-layout.ts'

const layout = { first: 0, partitions: 4, streams: 2 }
const next = { first: 4, partitions: 2, streams: 1 }
const streamOptions = {
  ...layout,
  bytesMax: 16 * MiB,
  replicas: 1,
  installationId: testInstallationId,
}
let pg: Pool
let nats: NatsConnection
let manager: JetStreamManager

usePostgres((fixture) => {
  pg = fixture.pg
})
useIngestStreams(layout, (fixture) => {
  nats = fixture.nats
})

const resetLayout = `update installation set first_partition = 0, partitions = 4, streams = 2,
  layout_since = null, next_first_partition = null, next_partitions = null, next_streams = null`

/** All partitions have owners, and a change to the next layout has begun. */
beforeEach(async () => {
  manager = await jetstreamManager(nats)
  await ensureIngestStreams(nats, streamOptions)
  await pg.query(resetLayout)
  await pg.query('delete from partition_cursors')
  await pg.query('delete from ingest_boots')
  for (const partition of partitionsOf(layout)) await takeOver(partition)
  await pg.query(
    'update installation set next_first_partition = 4, next_partitions = 2, next_streams = 1',
  )
  return async () => {
    await pg.query(resetLayout)
    await pg.query('delete from ingest_boots')
  }
})

async function takeOver(partition: number) {
  return takeOverCursor(pg, partition, await readIngestStream(nats, partition, streamOptions))
}

const follow = () =>
  followLayout(
    { pg, nats, manager, layout, streamOptions, log: createLogger('test', 'silent') },
    true,
  )

async function streamNames(): Promise<string[]> {
  const names: string[] = []
  for await (const name of manager.streams.names()) names.push(name)
  return names.sort()
}

test('workers move when everything is committed, and the former partitions stay as they are', async () => {
  expect(await follow()).toBe('replaced')
  const { rows } = await pg.query('select first_partition, partitions, streams from installation')
  expect(rows).toEqual([{ first_partition: 4, partitions: 2, streams: 1 }])
  const cursors = await pg.query('select epoch from partition_cursors order by partition')
  expect(cursors.rows).toEqual(partitionsOf(layout).map(() => ({ epoch: 2 })))
  await expect(takeOver(0)).rejects.toBeInstanceOf(FencedError)
})

test('workers wait for an ingest instance that is not settled', async () => {
  const instance = randomUUID()
  await pg.query('insert into ingest_boots (boot_id) values ($1)', [instance])
  expect(await follow()).toBe('present')
  await pg.query('update ingest_boots set settled_at = now() where boot_id = $1', [instance])
  expect(await follow()).toBe('replaced')
})

test.each([
  ['a message that is not committed', 'committed_seq = 0, planned_seq = 0'],
  ['a range that is only planned', 'committed_seq = 0, planned_seq = 1000'],
  [
    'a stream that was created again',
    `committed_seq = 1000, planned_seq = 1000, incarnation = 'before'`,
  ],
])('workers wait because of %s', async (_what, cursor) => {
  const { seq } = await jetstream(nats).publish('ingest.1', 'frame')
  await pg.query(`update partition_cursors set ${cursor} where partition = 1`)
  expect(await follow()).toBe('present')
  await pg.query(
    `update partition_cursors as cursor set committed_seq = $1, planned_seq = $1,
       incarnation = other.incarnation
     from partition_cursors as other where cursor.partition = 1 and other.partition = 3`,
    [seq],
  )
  expect(await follow()).toBe('replaced')
})

test('the next streams are created again when the broker has lost its data', async () => {
  await pg.query('insert into ingest_boots (boot_id) values ($1)', [randomUUID()])
  for (const name of await streamNames()) {
    if (name === 'INGEST_4') await manager.streams.delete(name)
  }
  expect(await follow()).toBe('present')
  expect(await streamNames()).toContain('INGEST_4')
  const { config } = await manager.streams.info('INGEST_4')
  expect(config.subjects).toEqual(partitionsOf(next).map((partition) => `ingest.${partition}`))
})
