/**
 * A partition on a real Postgres, broker and ClickHouse, and owners of it whose stores fail when a test
 * says so. Their clock steps at every look, so that no test waits for the interval between two ranges.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { expect } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import { ensureIngestStreams, type IngestStream } from '#platform/ingest-streams.ts'
import { createLogger } from '#platform/logger.ts'
import { connectNats, type NatsConnection } from '#platform/nats.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { MiB } from '#schemas/limits.ts'
import { digestRange, type RangeInput } from '../workers/digest/digest-range.ts'
import { addProject } from '../workers/io/fixtures/add-project.ts'
import { eventFrame, type TestEvent } from '../workers/io/fixtures/event-frame.ts'
import { hashOf } from '../workers/io/fixtures/range-output.ts'
import { steppingClock } from '../workers/io/fixtures/stepping-clock.ts'
import { PartitionLog } from '../workers/io/partition-log.ts'
import { PostgresRangeStore } from '../workers/io/postgres-range-store.ts'
import { ClickHouseRowStore } from '../workers/io/row-store.ts'
import { createWorkerMetrics } from '../workers/metrics.ts'
import { type PartitionContext, PartitionDigest } from '../workers/partitions/digest-partition.ts'
import type {
  LogReader,
  RangeStore,
  RowStore,
  TakenPartition,
} from '../workers/partitions/ports.ts'
import { pause } from '../workers/pause.ts'
import { startBus, type TestBus, testInstallationId } from './bus.ts'
import { startStores, type TestStores } from './stores.ts'
import { waitUntil } from './wait-until.ts'

const log = createLogger('test', 'silent')
const partition = 0
const bootId = hashOf('boot')

export class DigestBench {
  readonly stores: TestStores
  readonly bus: TestBus
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly nats: NatsConnection
  /** Another one after every `reset`. */
  project: ProjectId
  #frameCounter = 0
  #runs: TestRun[] = []

  private constructor(
    parts: Pick<DigestBench, 'stores' | 'bus' | 'pg' | 'clickhouse' | 'nats' | 'project'>,
  ) {
    this.stores = parts.stores
    this.bus = parts.bus
    this.pg = parts.pg
    this.clickhouse = parts.clickhouse
    this.nats = parts.nats
    this.project = parts.project
  }

  static async start(): Promise<DigestBench> {
    const [stores, bus] = await Promise.all([startStores(), startBus()])
    const options = { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 4 }
    const pg = createPool(options, log)
    const clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
    const nats = await connectNats(bus.url, 'test')
    const project = await addProject(pg)
    const bench = new DigestBench({ stores, bus, pg, clickhouse, nats, project })
    await bench.readStream()
    return bench
  }

  async stop(): Promise<void> {
    await Promise.all([this.nats.close(), this.pg.end(), this.clickhouse.close()])
    await Promise.all([this.stores.stop(), this.bus.stop()])
  }

  /** Ends every owner; the next test finds a new project and an empty stream. */
  async reset(): Promise<void> {
    await Promise.all(this.#runs.map((run) => run.stop()))
    this.#runs = []
    await this.replaceStream()
    await this.pg.query('delete from frame_progress')
    this.project = await addProject(this.pg)
  }

  async replaceStream(): Promise<void> {
    await (await jetstreamManager(this.nats)).streams.delete(ingestStream)
    await this.readStream()
  }

  async purgeBelow(seq: number): Promise<void> {
    await (await jetstreamManager(this.nats)).streams.purge(ingestStream, { seq })
  }

  /** Makes the stream when it is missing. */
  async readStream(): Promise<IngestStream> {
    const options = {
      partitions: 1,
      streams: 1,
      bytesMax: 16 * MiB,
      replicas: 1,
      installationId: testInstallationId,
    }
    return (await ensureIngestStreams(this.nats, options)).streams[0]!
  }

  async takeOver(): Promise<TakenPartition> {
    return new PostgresRangeStore(this.pg).takeOver(partition, await this.readStream())
  }

  /** A boot that is known to nobody yet: the next frame is its first. */
  restartCounters(): void {
    this.#frameCounter = 0
  }

  nextCounter(): number {
    return this.#frameCounter++
  }

  /** Publishes a frame of events; the same `counter` is the same frame again. Returns the sequence it got. */
  async publish(names: readonly string[], counter = this.nextCounter()): Promise<number> {
    const events = names.map((name): TestEvent => ({ name, projectId: this.project }))
    return this.publishBytes(eventFrame({ bootId, partition, counter }, events))
  }

  async publishBytes(bytes: Uint8Array): Promise<number> {
    return (await jetstream(this.nats).publish(ingestSubject(partition), bytes)).seq
  }

  /** A new owner that takes the partition over; `set` says what shall go wrong. */
  async startRun(set: (run: TestRun) => void = () => undefined): Promise<TestRun> {
    const run = new TestRun()
    set(run)
    this.#runs.push(run)
    const digest = new PartitionDigest(run.context(this), {
      partition,
      readStream: async () => {
        const stream = await this.readStream()
        return { ...stream, createdAt: run.createdAt ?? stream.createdAt }
      },
      rangeIntervalMs: () => 1_000,
      openLog: (afterSeq) => {
        const reader = new PartitionLog(
          this.nats,
          { stream: ingestStream, partition, afterSeq },
          log,
        )
        return patient(reader, run)
      },
    })
    run.begin(digest)
    // The caller may publish, and take over, from here on.
    await waitUntil('the take-over', async () => digest.reading !== undefined || run.end)
    return run
  }

  /** So many events, in every book, and not one more. */
  async expectExactly(events: number): Promise<void> {
    await expect.poll(() => this.issueCount(), { timeout: 15_000 }).toBe(events)
    expect(await this.stored()).toEqual({ events, accepted: events })
  }

  /** As the issues say. */
  async issueCount(): Promise<number> {
    const { rows } = await this.pg.query(
      'select coalesce(sum(count), 0)::int as count from issues where project_id = $1',
      [this.project],
    )
    return rows[0].count
  }

  async cursor() {
    const { rows } = await this.pg.query(
      'select committed_seq, planned_seq from partition_cursors where partition = $1',
      [partition],
    )
    return rows[0]
  }

  /** What ClickHouse holds of the project: rows of events, and the sum of accepted items. */
  async stored(): Promise<{ events: number; accepted: number }> {
    const one = async (query: string) => {
      const result = await this.clickhouse.query({ query, format: 'JSONEachRow' })
      return (await result.json<{ n: number }>())[0]?.n ?? 0
    }
    const ofProject = `where project_id = ${this.project}`
    return {
      events: await one(`select toUInt32(count()) as n from events ${ofProject}`),
      accepted: await one(
        `select toUInt32(sum(quantity)) as n from outcomes ${ofProject} and outcome = 'accepted'`,
      ),
    }
  }
}

interface Insert {
  readonly table: string
  readonly token: string
  readonly hex: string
}

/** One owner of the partition. Each list of faults is taken from the front, one entry per call. */
export class TestRun {
  readonly metrics = createWorkerMetrics()
  readonly inserts: Insert[] = []
  /** Before an insert reaches ClickHouse; `undefined` lets it through. */
  readonly insertFaults: (Error | undefined)[] = []
  /** Before a commit. */
  readonly commitFaults: (Error | undefined)[] = []
  /** Called before every digest. */
  beforeDigest: (input: RangeInput) => Promise<void> = async () => undefined
  afterPlan: () => Promise<void> = async () => undefined
  /** Added to the time, as if the process had stood still. */
  clockAheadMs = 0
  /** Instead of the bench's own. */
  pg: Pool | undefined
  /** Nothing is taken from the log until it was read so far. */
  takeFromSeq = 0
  /** Commits that take place, and nobody hears of it. */
  answersToLose = 0
  afterLostAnswer: () => Promise<void> = async () => undefined
  /** The stream is said to have been made then. */
  createdAt: string | undefined
  end: string | undefined
  #digest: PartitionDigest | undefined
  #running: Promise<unknown> = Promise.resolve()

  begin(digest: PartitionDigest): void {
    this.#digest = digest
    this.#running = digest.run().then((end) => {
      this.end = end
    })
  }

  get storeFaultSinceMs(): number | undefined {
    return this.#digest?.storeFaultSinceMs
  }

  async stop(): Promise<void> {
    await this.askToStop()
    await this.#running
  }

  async askToStop(): Promise<void> {
    await this.#digest?.stop()
  }

  async count(
    metric: 'framesRepeated' | 'rangesFailed' | 'rangesUndone' | 'eventsDigested',
  ): Promise<number> {
    return (await this.metrics[metric].get()).values[0]?.value ?? 0
  }

  context({ pg, clickhouse }: DigestBench): PartitionContext {
    return {
      ranges: this.#faultyRanges(new PostgresRangeStore(this.pg ?? pg)),
      rows: this.#faultyRows(new ClickHouseRowStore(clickhouse)),
      clock: this.#clock(),
      sleep: pause,
      log,
      metrics: this.metrics,
      retentionDays: 10_000,
      partitionCount: 1,
      digest: async (input) => {
        await this.beforeDigest(input)
        return digestRange(input)
      },
    }
  }

  #clock(): Clock {
    const clock = steppingClock(600)
    return {
      nowMs: () => clock.nowMs() + this.clockAheadMs,
      monotonicMs: () => clock.monotonicMs() + this.clockAheadMs,
    }
  }

  #faultyRanges(store: RangeStore): RangeStore {
    return {
      takeOver: (partition, stream) => store.takeOver(partition, stream),
      beginGeneration: (cursor, stream) => store.beginGeneration(cursor, stream),
      readBrakes: (projectIds) => store.readBrakes(projectIds),
      readSettings: (projectIds) => store.readSettings(projectIds),
      readFloods: (projectIds) => store.readFloods(projectIds),
      plan: async (cursor, plan) => {
        const planned = await store.plan(cursor, plan)
        await this.afterPlan()
        return planned
      },
      readItemIds: (partition, window) => store.readItemIds(partition, window),
      itemIdsAmong: (partition, ids) => store.itemIdsAmong(partition, ids),
      readCursor: (partition) => store.readCursor(partition),
      rehearse: (commit, plan) => store.rehearse(commit, plan),
      commit: async (commit) => {
        const fault = this.commitFaults.shift()
        if (fault) throw fault
        const result = await store.commit(commit)
        if (this.answersToLose === 0) return result
        this.answersToLose -= 1
        await this.afterLostAnswer()
        throw new Error('the answer to a commit was lost')
      },
    }
  }

  #faultyRows(store: RowStore): RowStore {
    return {
      knownIds: store.knownIds,
      undo: (range) => store.undo(range),
      check: (rows) => store.check(rows),
      insert: async (insert) => {
        const { table, token, rows } = insert
        this.inserts.push({ table, token, hex: Buffer.from(rows).toString('hex') })
        const fault = this.insertFaults.shift()
        if (fault) throw fault
        await store.insert(insert)
      },
    }
  }
}

function patient(reader: PartitionLog, run: TestRun): LogReader {
  return {
    get lastSeq() {
      return reader.lastSeq
    },
    take: async (clock, times) => {
      await waitUntil('the log', async () => reader.lastSeq >= run.takeFromSeq)
      return reader.take(clock, times)
    },
    takeThrough: (toSeq) => reader.takeThrough(toSeq),
    close: () => reader.close(),
  }
}
