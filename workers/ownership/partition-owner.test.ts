/**
 * The owners of two workers in one process, on real engines: every event counts once after any
 * failure.
 */
import { randomUUID } from 'node:crypto'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { ensureIngestStreams, type IngestStream } from '#platform/nats/ingest-streams.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { MiB } from '#schemas/limits.ts'
import { startBus, type TestBus, testInstallationId } from '../../test/fixtures/processes/bus.ts'
import { startStores, type TestStores } from '../../test/fixtures/processes/stores.ts'
import { waitUntil } from '../../test/fixtures/processes/wait-until.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { eventFrame } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf } from '../../test/fixtures/workers/range-output.ts'
import { steppingClock } from '../../test/fixtures/workers/stepping-clock.ts'
import { digestRange } from '../digest/digest-range.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { takeOverCursor } from '../partitions/cursor-store.ts'
import { DataRefusedError, type RowStore } from '../partitions/ports.ts'
import { PostgresRangeStore } from '../partitions/postgres-range-store.ts'
import { ClickHouseRowStore } from '../rows/row-store.ts'
import { PartitionOwner } from './partition-owner.ts'

const log = createLogger('test', 'silent')
const partitionCount = 4
let stores: TestStores
let bus: TestBus
let pg: Pool
let clickhouse: ClickHouseClient
let nats: NatsConnection
let project: ProjectId
let instanceId: string
let published = 0
let running: TestOwner[] = []

beforeAll(async () => {
  ;[stores, bus] = await Promise.all([startStores(), startBus()])
  pg = createPool({ url: stores.postgresUrl, applicationName: 'test', connectionsMax: 8 }, log)
  clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
  nats = await connectNats(bus.url, 'test')
})

afterAll(async () => {
  await Promise.all([nats?.close(), pg?.end(), clickhouse?.close()])
  await Promise.all([stores?.stop(), bus?.stop()])
})

beforeEach(async () => {
  project = await addProject(pg)
  instanceId = hashOf(randomUUID())
  published = 0
  await readStream()
})

afterEach(async () => {
  await Promise.all(running.map(({ owner }) => owner.close()))
  running = []
  // A request on a connection that has just been lost fails, so it is repeated until it is
  // answered.
  await waitUntil('the end of the stream', async () => {
    const manager = await jetstreamManager(nats, { timeout: 500 })
    const names = await manager.streams.names().next()
    return names.length === 0 || manager.streams.delete(ingestStream)
  })
})

/** Creates the stream if it does not exist. */
async function readStream(): Promise<IngestStream> {
  const options = {
    first: 0,
    partitions: partitionCount,
    streams: 1,
    bytesMax: 16 * MiB,
    replicas: 1,
    installationId: testInstallationId,
  }
  return (await ensureIngestStreams(nats, options)).streams[0]!
}

interface TestOwner {
  readonly owner: PartitionOwner
  readonly owned: () => Promise<number>
  /** By partition: 1 where a store refuses every record. */
  readonly storeFaults: () => Promise<readonly number[]>
  readonly stuckSeconds: () => Promise<
    readonly { labels: { partition?: unknown }; value: number }[]
  >
}

function startOwner(
  readTheStream = readStream,
  rows: RowStore = new ClickHouseRowStore(clickhouse),
): TestOwner {
  const metrics = createWorkerMetrics()
  const workerId = randomUUID()
  const { postgresUrl } = stores
  const owner = new PartitionOwner(
    {
      postgresUrl,
      workerId,
      nats,
      readStream: readTheStream,
      layout: { first: 0, partitions: partitionCount, streams: 1 },
    },
    {
      log,
      metrics,
      layout: { first: 0, partitions: partitionCount, streams: 1 },
      retentionDays: 10_000,
      sleep: pause,
      ranges: new PostgresRangeStore(pg),
      rows,
      // The clock is fast, so no test waits for the interval between two ranges.
      clock: steppingClock(600),
      digest: async (input) => digestRange(input),
    },
  )
  owner.start(systemClock)
  const owned = async () => (await metrics.partitionsOwned.get()).values[0]?.value ?? 0
  const stuckSeconds = async () => (await metrics.partitionStuckSeconds.get()).values
  const storeFaults = async () =>
    (await metrics.partitionStoreFault.get()).values
      .toSorted((a, b) => Number(a.labels.partition) - Number(b.labels.partition))
      .map(({ value }) => value)
  const started = { owner, owned, stuckSeconds, storeFaults }
  running.push(started)
  return started
}

/** Publishes a frame of two events to every partition. */
async function publishRound(): Promise<void> {
  const counter = published / (2 * partitionCount)
  for (let partition = 0; partition < partitionCount; partition += 1) {
    const events = ['a', 'b'].map((name) => ({
      name: `${instanceId} ${partition} ${counter} ${name}`,
      projectId: project,
      type: `Error${counter}`,
    }))
    const frame = eventFrame({ instanceId, partition, counter }, events)
    await jetstream(nats).publish(ingestSubject(partition), frame)
    published += 2
  }
}

async function digested(): Promise<number> {
  const { rows } = await pg.query(
    'select coalesce(sum(count), 0)::int as count from issues where project_id = $1',
    [project],
  )
  return rows[0].count
}

async function expectAllDigestedOnce(): Promise<void> {
  await waitUntil('every event to be counted', async () => (await digested()) >= published)
  expect(await digested()).toBe(published)
  const result = await clickhouse.query({
    query: `select toUInt32(count()) as n, toUInt32(uniqExact(event_id)) as ids
            from events where project_id = ${project}`,
    format: 'JSONEachRow',
  })
  expect(await result.json()).toEqual([{ n: published, ids: published }])
}

async function epochs(): Promise<number[]> {
  const { rows } = await pg.query('select epoch from partition_cursors order by partition')
  return rows.map(({ epoch }) => epoch)
}

async function breakLockConnections(): Promise<void> {
  await pg.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sluice-worker-locks' and datname = current_database()`,
  )
}

test('a single owner takes over every partition and digests existing and new frames', async () => {
  await publishRound()
  const { owner, owned } = startOwner()
  expect(owner.ready).toBe(false)
  await expectAllDigestedOnce()
  expect(owner.ready).toBe(true)
  expect(await owned()).toBe(partitionCount)
  await publishRound()
  await expectAllDigestedOnce()
})

test('a closed owner has released every partition, and the next one continues', async () => {
  const { owner } = startOwner()
  await publishRound()
  await expectAllDigestedOnce()
  await owner.close()
  const { rows } = await pg.query(
    `select (select count(*)::int from pg_locks where locktype = 'advisory'
               and database = (select oid from pg_database where datname = current_database())) as locks,
            (select count(*)::int from workers) as workers`,
  )
  expect(rows).toEqual([{ locks: 0, workers: 0 }])
  await publishRound()
  startOwner()
  await expectAllDigestedOnce()
})

test('two owners share the partitions, and each event still counts once', async () => {
  const first = startOwner()
  await waitUntil('the first to own all', async () => (await first.owned()) === partitionCount)
  const second = startOwner()
  for (let round = 0; round < 3; round += 1) await publishRound()
  await waitUntil(
    'both to own half',
    async () => (await first.owned()) === 2 && (await second.owned()) === 2,
  )
  await publishRound()
  await expectAllDigestedOnce()
})

test('every event is digested once when both lose the connection with their locks', async () => {
  startOwner()
  startOwner()
  await publishRound()
  await expectAllDigestedOnce()
  await publishRound()
  await breakLockConnections()
  await publishRound()
  await expectAllDigestedOnce()
})

test('a partition whose epoch was incremented elsewhere is released and taken over again', async () => {
  startOwner()
  await publishRound()
  await expectAllDigestedOnce()
  const before = await epochs()
  await takeOverCursor(pg, 2, await readStream())
  await publishRound()
  await expectAllDigestedOnce()
  expect(await epochs()).toEqual(before.map((epoch, at) => (at === 2 ? epoch + 2 : epoch)))
})

test('a failed take-over of a partition is retried soon', async () => {
  await publishRound()
  let reads = 0
  startOwner(async () => {
    reads += 1
    if (reads <= partitionCount) throw new Error('a fault of this test')
    return readStream()
  })
  await expectAllDigestedOnce()
  expect(reads).toBeGreaterThanOrEqual(2 * partitionCount)
})

test('a recreated stream is read from its start after the next check', async () => {
  const { owner } = startOwner()
  await publishRound()
  await publishRound()
  await expectAllDigestedOnce()
  await (await jetstreamManager(nats)).streams.delete(ingestStream)
  await readStream()
  // Its sequence numbers are below the ones that were read before.
  await publishRound()
  await owner.checkStreams()
  await expectAllDigestedOnce()
})

test('a check of an unchanged stream has no effect', async () => {
  const { owner } = startOwner()
  await publishRound()
  await expectAllDigestedOnce()
  const before = await epochs()
  await owner.checkStreams()
  await publishRound()
  await expectAllDigestedOnce()
  expect(await epochs()).toEqual(before)
})

test('closing while the broker is unavailable does not hang', async () => {
  const { owner, owned } = startOwner()
  await waitUntil('every partition', async () => (await owned()) === partitionCount)
  await bus.server.kill('SIGKILL')
  try {
    await owner.close()
  } finally {
    await bus.server.start()
  }
})

/** @param refuse throws before an insert under the token. */
function rowsRefusedBy(refuse: (token: string) => void): RowStore {
  const rows = new ClickHouseRowStore(clickhouse)
  return {
    knownIds: rows.knownIds,
    undo: (range) => rows.undo(range),
    check: (insert) => rows.check(insert),
    note: (cursor, note) => rows.note(cursor, note),
    newestPosition: (cursor) => rows.newestPosition(cursor),
    insert: async (insert) => {
      refuse(insert.token)
      await rows.insert(insert)
    },
  }
}

test('a partition is reported as stuck while messages wait and its cursor does not move', async () => {
  let isRefusing = true
  const faulty = rowsRefusedBy((token) => {
    if (isRefusing && token.startsWith('p2:')) throw new Error('a fault of this test')
  })
  const { owner, stuckSeconds } = startOwner(readStream, faulty)
  await publishRound()
  // The clock of this test is fast, so the other partitions also look stuck for a moment.
  await waitUntil('one stuck partition', async () => owner.stuck.join() === '2')
  await waitUntil('the metric', async () =>
    (await stuckSeconds()).some(({ labels, value }) => labels.partition === 2 && value >= 60),
  )
  isRefusing = false
  await expectAllDigestedOnce()
  await waitUntil('no stuck partition', async () => owner.stuck.length === 0)
})

test('a partition whose store refuses every record is reported at once', async () => {
  let isRefusing = true
  const faulty = rowsRefusedBy((token) => {
    if (isRefusing && /^(p1|probe):/.test(token)) throw new DataRefusedError('a fault of this test')
  })
  const { owner, storeFaults } = startOwner(readStream, faulty)
  await publishRound()
  await waitUntil('the fault', async () => owner.refused.join() === '1')
  await waitUntil('the metric', async () => (await storeFaults()).join() === '0,1,0,0')
  isRefusing = false
  await expectAllDigestedOnce()
  await waitUntil('no fault', async () => owner.refused.length === 0)
})
