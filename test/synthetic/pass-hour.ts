/**
 * Runs an hour of traffic through the product in seconds: ingest runs on simulated time and
 * publishes to a simulated bus, and the partitions are digested into real stores. There are no
 * faults here; the simulation tests those.
 */

import type { ClickHouseClient } from '#platform/clickhouse.ts'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import { digestRange } from '../../workers/digest/digest-range.ts'
import type { WorkerMetrics } from '../../workers/metrics.ts'
import { PartitionDigest } from '../../workers/partitions/digest-partition.ts'
import type { LogMessage, LogReader } from '../../workers/partitions/ports.ts'
import { PostgresRangeStore } from '../../workers/partitions/postgres-range-store.ts'
import { ClickHouseRowStore } from '../../workers/rows/row-store.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { silentMetrics } from '../fixtures/workers/silent-observers.ts'
import { SimIngest } from '../simulation/parts/sim-ingest.ts'
import { World } from '../simulation/world.ts'
import type { SentBody } from './plan-hour.ts'

export interface HourProject {
  readonly projectId: number
  readonly keyNo: number
  readonly publicKey: string
}

const partitions = 3
const hourMs = 3_600_000
/** Longer than the time between the simulated hour and any day on which the test runs. */
const retentionDays = 18_000
/** A range has this many frames, so that an hour has many ranges. */
const framesPerRange = 40

/** Returns the statuses of the responses, and the frames of each partition in order. */
export async function receiveHour(
  project: HourProject,
  bodies: readonly SentBody[],
  { seed, startMs }: { readonly seed: number; readonly startMs: number },
): Promise<{ statuses: number[]; logs: LogMessage[][] }> {
  const plan = {
    ...project,
    limit: undefined,
    eventsPerMinute: undefined,
    keyEventsPerMinute: undefined,
    issueEventsPerMinute: undefined,
  }
  const world = new World(
    {
      seed,
      layout: firstLayout({ partitions, streams: 1 }),
      ingestCount: 1,
      workerCount: 0,
      durability: 'log',
      logBytesMax: 100_000_000,
      startMs,
      trafficMs: hourMs,
      projects: [plan],
      requests: [],
      faults: [],
    },
    'hash',
  )
  const { timeline } = world
  const ingest = new SimIngest(world, 'ingest')
  await timeline.run(1_000, () => ingest.isOpen)
  const statuses: number[] = []
  for (const { atMs, lines, copies } of bodies) {
    const body = Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    for (const after of [0, ...copies]) {
      timeline.after(atMs + after - timeline.nowMs, () => {
        ingest.request({ project: plan, body }, (status) => statuses.push(status))
      })
    }
  }
  await timeline.run(hourMs - 1_000)
  let isDrained = false
  void ingest.drain().then(() => {
    isDrained = true
  })
  await timeline.run(hourMs + 30_000, () => isDrained)
  const messages = world.broker.streams[0]?.messages ?? []
  const logs = Array.from({ length: partitions }, (_, partition) =>
    messages
      .filter((message) => message.partition === partition)
      .map(({ seq, bytes }) => ({ streamSeq: seq, bytes })),
  )
  return { statuses, logs }
}

export async function digestHour(
  stores: { readonly pg: Pool; readonly clickhouse: ClickHouseClient },
  logs: readonly (readonly LogMessage[])[],
): Promise<void> {
  const layout = firstLayout({ partitions: logs.length, streams: 1 })
  const ranges = new PostgresRangeStore(stores.pg, layout)
  const stream = {
    createdAt: '2026-01-01T00:00:00.000000000Z',
    lastSeq: Math.max(...logs.map((log) => log.at(-1)?.streamSeq ?? 0)),
  }
  for (const [partition, log] of logs.entries()) {
    const digest = new PartitionDigest(
      {
        ranges,
        rows: new ClickHouseRowStore(stores.clickhouse),
        digest: async (input) => digestRange(input),
        clock: systemClock,
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        log: createLogger('test', 'silent'),
        metrics: silentMetrics as WorkerMetrics,
        retentionDays,
        layout,
      },
      {
        partition,
        readStream: async () => stream,
        rangeIntervalMs: () => 0,
        openLog: (afterSeq) => new ListLog(log.filter(({ streamSeq }) => streamSeq > afterSeq)),
      },
    )
    const end = digest.run()
    const lastSeq = log.at(-1)?.streamSeq ?? 0
    await waitUntil(`partition ${partition} is digested`, async () => {
      return (await ranges.readCursor(partition).catch(() => undefined))?.committedSeq === lastSeq
    })
    await digest.stop()
    await end
  }
}

/** A log that is complete before it is read. */
class ListLog implements LogReader {
  readonly #messages: LogMessage[]
  #isClosed = false
  lastSeq = 0

  constructor(messages: readonly LogMessage[]) {
    this.#messages = [...messages]
  }

  async take(): Promise<readonly LogMessage[]> {
    // Wait a little, or the owner would poll an empty log in a busy loop.
    if (this.#messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    return this.#isClosed ? [] : this.#pass(framesPerRange)
  }

  async takeThrough(toSeq: number): Promise<readonly LogMessage[]> {
    return this.#pass(this.#messages.filter(({ streamSeq }) => streamSeq <= toSeq).length)
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #pass(count: number): LogMessage[] {
    const passed = this.#messages.splice(0, count)
    this.lastSeq = passed.at(-1)?.streamSeq ?? this.lastSeq
    return passed
  }
}
