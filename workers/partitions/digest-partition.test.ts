/**
 * The loop of a partition on a real Postgres, broker and ClickHouse, with faults put between. Its clock
 * steps at every look, so that no test waits for the interval between two ranges.
 */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import { ensureIngestStream } from '#platform/ingest-stream.ts'
import { createLogger } from '#platform/logger.ts'
import { connectNats, type NatsConnection } from '#platform/nats.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { ingestStream, ingestSubject } from '#schemas/bus/subjects.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { MiB } from '#schemas/limits.ts'
import { startBus, type TestBus } from '../../test/bus.ts'
import { startStores, type TestStores } from '../../test/stores.ts'
import { digestRange } from '../digest/digest-range.ts'
import { type Cursor, planRange, readFrameProgress, takeOverCursor } from '../io/cursor-store.ts'
import { addProject } from '../io/fixtures/add-project.ts'
import { eventFrame, type TestEvent } from '../io/fixtures/event-frame.ts'
import { hashOf } from '../io/fixtures/range-output.ts'
import { PartitionLog } from '../io/partition-log.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { type PartitionContext, PartitionDigest } from './digest-partition.ts'
import { FrameProgress } from './frame-progress.ts'

const log = createLogger('test', 'silent')
const partition = 0
const bootId = hashOf('boot')
let stores: TestStores
let bus: TestBus
let pg: Pool
let clickhouse: ClickHouseClient
let nats: NatsConnection
let js: JetStreamClient
let project: ProjectId
let frameCounter = 0
let runs: TestRun[] = []

beforeAll(async () => {
  ;[stores, bus] = await Promise.all([startStores(), startBus()])
  pg = createPool({ url: stores.postgresUrl, applicationName: 'test', connectionsMax: 4 }, log)
  clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
  nats = await connectNats(bus.url, 'test')
  js = jetstream(nats)
}, 60_000)

afterAll(async () => {
  await Promise.all([nats?.close(), pg?.end(), clickhouse?.close()])
  await Promise.all([stores?.stop(), bus?.stop()])
}, 30_000)

beforeEach(async () => {
  project = await addProject(pg)
  await readStream()
})

afterEach(async () => {
  await Promise.all(runs.map((run) => run.stop()))
  runs = []
  const manager = await js.jetstreamManager()
  await manager.streams.delete(ingestStream)
  await pg.query('delete from frame_progress')
})

/** Makes the stream when it is missing. */
function readStream() {
  return ensureIngestStream(nats, { partitions: 1, bytesMax: 16 * MiB, replicas: 1 })
}

async function takeOver(): Promise<Cursor> {
  return (await takeOverCursor(pg, partition, await readStream())).cursor
}

/** Publishes a frame of events; `counter` says it again. Returns the sequence it got. */
async function publish(names: readonly string[], counter = frameCounter++): Promise<number> {
  const events = names.map((name): TestEvent => ({ name, projectId: project }))
  return publishBytes(eventFrame({ bootId, partition, counter }, events))
}

async function publishBytes(bytes: Uint8Array): Promise<number> {
  return (await js.publish(ingestSubject(partition), bytes)).seq
}

interface Insert {
  readonly table: string
  readonly token: string
  readonly hex: string
}

/** One owner of the partition with faults: each list is taken from the front, one entry per call. */
class TestRun {
  readonly metrics = createWorkerMetrics()
  readonly inserts: Insert[] = []
  /** Before an insert reaches ClickHouse; `undefined` lets it through. */
  readonly insertFaults: (Error | undefined)[] = []
  readonly connectFaults: (Error | undefined)[] = []
  /** Called before every digest. */
  beforeDigest: () => Promise<void> = async () => undefined
  /** The transaction is committed, and nobody hears of it. */
  answersToLose = 0
  end: string | undefined
  #digest: PartitionDigest | undefined
  #running: Promise<unknown> = Promise.resolve()

  static async start(set: (run: TestRun) => void = () => undefined): Promise<TestRun> {
    const run = new TestRun()
    set(run)
    runs.push(run)
    const cursor = await takeOver()
    const progress = new FrameProgress(await readFrameProgress(pg, partition))
    const messages = new PartitionLog(nats, partition, cursor.committedSeq, log)
    run.#digest = new PartitionDigest(run.#context(), { cursor, progress, messages })
    run.#running = run.#digest.run().then(async (end) => {
      run.end = end
      await messages.close()
    })
    return run
  }

  async stop(): Promise<void> {
    await this.askToStop()
    await this.#running
  }

  async askToStop(): Promise<void> {
    await this.#digest?.stop()
  }

  async count(metric: 'framesRepeated' | 'rangesFailed' | 'eventsDigested'): Promise<number> {
    return (await this.metrics[metric].get()).values[0]?.value ?? 0
  }

  #context(): PartitionContext {
    return {
      pg: this.#faultyPool(),
      clickhouse: this.#faultyClickHouse(),
      clock: clockThatSteps(600),
      log,
      metrics: this.metrics,
      retentionDays: 60_000,
      digest: async (frames, settings) => {
        await this.beforeDigest()
        return digestRange({ ...settings, frames })
      },
    }
  }

  #faultyPool(): Pool {
    const pool = Object.create(pg) as Pool
    pool.query = pg.query.bind(pg) as Pool['query']
    const connect = async () => {
      const fault = this.connectFaults.shift()
      if (fault) throw fault
      const client = await pg.connect()
      if (this.answersToLose === 0) return client
      this.answersToLose -= 1
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
      client.query = (async (...args: unknown[]) => {
        const answer = await query(...args)
        if (args[0] !== 'commit') return answer
        client.query = query as typeof client.query
        throw new Error('the answer to a commit was lost')
      }) as typeof client.query
      return client
    }
    pool.connect = connect as Pool['connect']
    return pool
  }

  #faultyClickHouse(): ClickHouseClient {
    const client = Object.create(clickhouse) as ClickHouseClient
    client.exec = (async (params: Parameters<ClickHouseClient['exec']>[0]) => {
      const bytes = await buffer((params as unknown as { values: Readable }).values)
      this.inserts.push({
        table: /insert into (\w+)/.exec(params.query)?.[1] ?? '',
        token: String(params.clickhouse_settings?.insert_deduplication_token),
        hex: bytes.toString('hex'),
      })
      const fault = this.insertFaults.shift()
      if (fault) throw fault
      return clickhouse.exec({ ...params, values: Readable.from([bytes]) })
    }) as unknown as ClickHouseClient['exec']
    return client
  }
}

async function issueCount(): Promise<number> {
  const { rows } = await pg.query(
    'select coalesce(sum(count), 0)::int as count from issues where project_id = $1',
    [project],
  )
  return rows[0].count
}

async function cursor() {
  const { rows } = await pg.query(
    'select committed_seq, planned_seq from partition_cursors where partition = $1',
    [partition],
  )
  return rows[0]
}

/** What ClickHouse holds of the project: rows of events, and the sum of accepted items. */
async function stored(): Promise<{ events: number; accepted: number }> {
  const one = async (query: string) => {
    const result = await clickhouse.query({ query, format: 'JSONEachRow' })
    return (await result.json<{ n: number }>())[0]!.n
  }
  return {
    events: await one(`select toUInt32(count()) as n from events where project_id = ${project}`),
    accepted: await one(
      `select toUInt32(sum(quantity)) as n from outcomes where project_id = ${project} and outcome = 'accepted'`,
    ),
  }
}

async function expectExactly(events: number): Promise<void> {
  await expect.poll(issueCount, { timeout: 10_000 }).toBe(events)
  expect(await stored()).toEqual({ events, accepted: events })
}

const fault = new Error('a fault of this test')

describe('A range', () => {
  test('becomes rows, outcomes and sums, and the cursor stands behind it', async () => {
    const run = await TestRun.start()
    await publish(['a', 'b'])
    const last = await publish(['c'])
    await expectExactly(3)
    expect(await cursor()).toEqual({ committed_seq: last, planned_seq: last })
    expect(await run.count('eventsDigested')).toBe(3)
    expect(await run.count('rangesFailed')).toBe(0)
    await run.stop()
    expect(run.end).toBe('stopped')
  })

  test('that ClickHouse refuses is tried again with the same tokens and the same bytes', async () => {
    const run = await TestRun.start((run) => {
      // The events fail, then only the outcomes, then nothing.
      run.insertFaults.push(fault, undefined, fault)
      run.beforeDigest = async () => {
        // Comes while the range is in hand, so it must not become part of it.
        if (run.inserts.length === 0) await publish(['late'])
      }
    })
    await publish(['a', 'b'])
    await expectExactly(3)
    const [events, again, outcomes, third, lastOutcomes] = run.inserts
    expect(events).toMatchObject({ table: 'events' })
    expect(events?.token).toMatch(/^p0:\d+:0-1:events$/)
    expect(again).toEqual(events)
    expect(third).toEqual(events)
    expect(outcomes).toMatchObject({ table: 'outcomes' })
    expect(outcomes?.token).toMatch(/^p0:\d+:0-1:outcomes$/)
    expect(lastOutcomes).toEqual(outcomes)
    expect(run.inserts[5]?.token).toMatch(/^p0:\d+:1-2:events$/)
    expect(await run.count('rangesFailed')).toBe(2)
    expect(await run.count('eventsDigested')).toBe(3)
  })

  test('whose commit fails is tried again, and its rows are there once', async () => {
    const run = await TestRun.start((run) => run.connectFaults.push(fault))
    await publish(['a'])
    await expectExactly(1)
    expect(run.inserts.map(({ table }) => table)).toEqual([
      'events',
      'outcomes',
      'events',
      'outcomes',
    ])
    expect(run.inserts.slice(2)).toEqual(run.inserts.slice(0, 2))
    expect(await run.count('rangesFailed')).toBe(1)
  })

  test('whose digest fails is tried again, and its frames do not count as repeated', async () => {
    let attempts = 0
    const run = await TestRun.start((run) => {
      run.beforeDigest = async () => {
        attempts += 1
        if (attempts === 1) throw fault
      }
    })
    await publish(['a'])
    await expectExactly(1)
    expect(await run.count('framesRepeated')).toBe(0)
  })

  test('that a former owner planned and inserted is finished by the next, and counted once', async () => {
    const first = await TestRun.start((run) => {
      run.connectFaults.push(...new Array<Error>(100).fill(fault))
    })
    const planned = await publish(['a', 'b'])
    await expect.poll(() => first.inserts.length).toBeGreaterThanOrEqual(2)
    await first.stop()
    expect(await cursor()).toMatchObject({ committed_seq: 0, planned_seq: planned })
    expect(await issueCount()).toBe(0)
    await publish(['c'])
    const second = await TestRun.start()
    await expectExactly(3)
    expect(second.inserts.slice(0, 2)).toEqual(first.inserts.slice(0, 2))
  })
})

describe('Another owner', () => {
  test('ends the loop at its next range, of which nothing is counted', async () => {
    const run = await TestRun.start()
    await publish(['a'])
    await expectExactly(1)
    await takeOver()
    await publish(['b'])
    await expect.poll(() => run.end).toBe('fenced')
    expect(await issueCount()).toBe(1)
    expect(run.inserts).toHaveLength(2)
  })

  test('that takes over while a range is in hand leaves it to be counted once', async () => {
    const former = await TestRun.start((run) => {
      run.beforeDigest = async () => {
        await takeOver()
      }
    })
    await publish(['a'])
    await expect.poll(() => former.end).toBe('fenced')
    // Its rows are in ClickHouse, where the next owner's are recognised by their tokens.
    expect(await stored()).toEqual({ events: 1, accepted: 1 })
    expect(await issueCount()).toBe(0)
    await TestRun.start()
    await expectExactly(1)
  })

  test('is what a commit looks like whose answer was lost, and nothing counts twice', async () => {
    const run = await TestRun.start((run) => {
      run.answersToLose = 1
    })
    const last = await publish(['a'])
    await expect.poll(() => run.end, { timeout: 5_000 }).toBe('fenced')
    await expectExactly(1)
    expect(await cursor()).toEqual({ committed_seq: last, planned_seq: last })
    await publish(['b'])
    await TestRun.start()
    await expectExactly(2)
  })
})

describe('A repeated frame', () => {
  test('is dropped whole and counted, in the same range and in a later one', async () => {
    const counter = frameCounter++
    await publish(['a', 'b'], counter)
    await publish(['a', 'b'], counter)
    const run = await TestRun.start()
    await expectExactly(2)
    await publish(['a', 'b'], counter)
    const last = await publish(['c'])
    await expectExactly(3)
    expect(await run.count('framesRepeated')).toBe(2)
    expect(await cursor()).toMatchObject({ committed_seq: last })
  })

  test('is recognised by the next owner', async () => {
    const counter = frameCounter++
    await publish(['a'], counter)
    const first = await TestRun.start()
    await expectExactly(1)
    await first.stop()
    await publish(['a'], counter)
    await publish(['b'])
    const second = await TestRun.start()
    await expectExactly(2)
    expect(await second.count('framesRepeated')).toBe(1)
  })

  test('alone moves the cursor and inserts nothing', async () => {
    const counter = frameCounter++
    await publish(['a'], counter)
    const run = await TestRun.start()
    await expectExactly(1)
    const last = await publish(['a'], counter)
    await expect.poll(cursor).toMatchObject({ committed_seq: last })
    expect(run.inserts).toHaveLength(2)
  })

  test('after the stream was made anew is dropped as well', async () => {
    const counter = frameCounter++
    await publish(['a'], counter)
    const first = await TestRun.start()
    await expectExactly(1)
    await first.stop()
    await (await js.jetstreamManager()).streams.delete(ingestStream)
    await readStream()
    await publish(['a'], counter)
    await publish(['b'])
    const second = await TestRun.start()
    await expectExactly(2)
    expect(await second.count('framesRepeated')).toBe(1)
  })
})

test('what is no frame is kept as a dead letter and holds up nothing', async () => {
  await publishBytes(Buffer.from('no frame at all'))
  await publish(['a'])
  await TestRun.start()
  await expectExactly(1)
  const { rows } = await pg.query(
    `select stream_seq, record_index, reason, bytes from dead_letters order by id desc limit 1`,
  )
  expect(rows).toEqual([
    {
      stream_seq: 1,
      record_index: -1,
      reason: 'unreadable_frame',
      bytes: Buffer.from('no frame at all'),
    },
  ])
})

describe('Stopping', () => {
  test('lets the range in hand be committed', async () => {
    const gate = openGate()
    let digests = 0
    const run = await TestRun.start((run) => {
      run.beforeDigest = async () => {
        digests += 1
        await gate.opened
      }
    })
    await publish(['a'])
    await expect.poll(() => digests).toBe(1)
    await run.askToStop()
    expect(run.end).toBeUndefined()
    gate.open()
    await run.stop()
    expect(run.end).toBe('stopped')
    await expectExactly(1)
  })

  test('does not wait for another attempt when the range in hand fails', async () => {
    const gate = openGate()
    let digests = 0
    const run = await TestRun.start((run) => {
      run.beforeDigest = async () => {
        digests += 1
        await gate.opened
        throw fault
      }
    })
    await publish(['a'])
    await expect.poll(() => digests).toBe(1)
    await run.askToStop()
    gate.open()
    // A few turns of the event loop, far less than the pause before another attempt.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(run.end).toBe('stopped')
    expect(digests).toBe(1)
  })

  test('ends a pause between two attempts', async () => {
    const run = await TestRun.start((run) => {
      run.insertFaults.push(...new Array<Error>(100).fill(fault))
    })
    await publish(['a'])
    await expect.poll(() => run.count('rangesFailed')).toBeGreaterThanOrEqual(2)
    await run.stop()
    expect(run.end).toBe('stopped')
    expect(await issueCount()).toBe(0)
  })

  test('an idle partition ends at once', async () => {
    const run = await TestRun.start()
    await run.stop()
    expect(run.end).toBe('stopped')
  })
})

describe('Frames of a planned range that are no longer in the stream', () => {
  /** Two frames in one range, as an owner leaves it that crashed behind its plan. */
  async function planTwoFrames(): Promise<void> {
    await publish(['a'])
    const last = await publish(['b'])
    await planRange(pg, await takeOver(), last)
  }

  async function purgeBelow(seq: number): Promise<void> {
    await (await js.jetstreamManager()).streams.purge(ingestStream, { seq })
  }

  test('hold nothing up when all are gone', async () => {
    await planTwoFrames()
    await purgeBelow(3)
    const last = await publish(['c'])
    await TestRun.start()
    await expectExactly(1)
    expect(await cursor()).toEqual({ committed_seq: last, planned_seq: last })
  })

  test('leave those that are still there to be digested', async () => {
    await planTwoFrames()
    await purgeBelow(2)
    await publish(['c'])
    await TestRun.start()
    await expectExactly(2)
  })
})

function openGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

function clockThatSteps(ms: number): Clock {
  let now = 0
  return {
    nowMs: () => now,
    monotonicMs: () => {
      now += ms
      return now
    },
  }
}
