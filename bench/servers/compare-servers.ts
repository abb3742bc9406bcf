/**
 * Compares ingest with durable acknowledgement with two servers that only read the body. They run
 * in turn within minutes, so that a slow machine affects all of them. Workers are stopped: the
 * measurement covers receive, frame, publish, wait for the acknowledgement, and reply.
 */
import assert from 'node:assert'
import { systemClock } from '#platform/clock.ts'
import { type SecondProcess, startSecond } from '../../dev/second-process.ts'
import type { BenchStack } from '../bench-stack.ts'
import { type Bus, openBus } from '../load/bus-records.ts'
import { checkIds, type IdCheck, mergeChecks } from '../load/check-ids.ts'
import { type Generator, startGenerator } from '../load/generator.ts'
import { newRunId } from '../load/run-id.ts'
import { type WorkloadKind, workloadShapes } from '../load/workload.ts'
import { median, medianBy } from '../report/median.ts'
import type { NamedProcess } from '../report/profile-processes.ts'
import type { Progress } from '../report/progress.ts'
import type { ProfileSummary } from '../report/summarize-profile.ts'
import { sayDigested } from '../say-digested.ts'
import { type BareServer, startBareServer } from './bare-server.ts'
import { type Measurement, measureLoad } from './measure-load.ts'

/**
 * `ingest` runs with its defaults: every frame is in the write-ahead log before it is published.
 * `broker mode` skips the log while the bus is available.
 */
export const serverNames = ['bare uWS', 'node:http', 'ingest', 'ingest, broker mode'] as const
export type ServerName = (typeof serverNames)[number]
export type IngestName = Extract<ServerName, `ingest${string}`>

export function isOurIngest(name: ServerName): name is IngestName {
  return name.startsWith('ingest')
}

export interface Comparison {
  readonly kind: WorkloadKind
  /** The round with the median rate of each server. */
  readonly servers: Readonly<Record<ServerName, Measurement>>
  /** Medians over the rounds; each round compares servers that ran within seconds. */
  readonly ratioToUws: Readonly<Record<IngestName, number>>
  readonly ratioToNode: Readonly<Record<IngestName, number>>
  /** Answers of ingest compared with the records on the bus. */
  readonly check: IdCheck
}

export interface CompareOptions {
  readonly kinds: readonly WorkloadKind[]
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  readonly seed: number
  readonly nowMs: number
  readonly progress: Progress
}

export async function compareServers(
  bench: BenchStack,
  options: CompareOptions,
): Promise<Comparison[]> {
  const bus = await openBus(bench.stack.urls.nats)
  const uws = await startBareServer('bare-uws')
  const node = await startBareServer('bare-node-http')
  const broker = await startSecond(bench.stack, 'ingest', { INGEST_DURABILITY: 'broker' })
  try {
    await sayDigested(bench.stack)
    const comparisons: Comparison[] = []
    for (const kind of options.kinds) {
      comparisons.push(await compareKind(kind, { bench, bus, uws, node, broker }, options))
    }
    return comparisons
  } finally {
    await Promise.all([bus.close(), uws.stop(), node.stop(), broker.process.stop()])
  }
}

/** One more round of ingest alone, for a profile. */
export async function profileIngest(
  bench: BenchStack,
  options: CompareOptions,
): Promise<Record<string, ProfileSummary>> {
  const [kind] = options.kinds
  if (bench.profiler === undefined || kind === undefined) return {}
  const { host, port } = bench
  const { seed, nowMs, connections, seconds } = options
  const generator = await startGenerator(bench.workload(kind, { seed, nowMs, runId: newRunId() }))
  try {
    await generator.run({ host, port, connections, secondsMax: Math.min(1, seconds / 3) })
    bench.profiler.begin()
    await generator.run({ host, port, connections, secondsMax: seconds })
    return await bench.profiler.end()
  } finally {
    await generator.stop()
  }
}

interface Contestants {
  readonly bench: BenchStack
  readonly bus: Bus
  readonly uws: BareServer
  readonly node: BareServer
  readonly broker: SecondProcess
}

async function compareKind(
  kind: WorkloadKind,
  contestants: Contestants,
  options: CompareOptions,
): Promise<Comparison> {
  const { seed, nowMs } = options
  const runId = newRunId()
  const generator = await startGenerator(contestants.bench.workload(kind, { seed, nowMs, runId }))
  const measured: Record<ServerName, Measurement[]> = {
    'bare uWS': [],
    'node:http': [],
    ingest: [],
    'ingest, broker mode': [],
  }
  const checks: IdCheck[] = []
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      for (const server of serverNames) {
        const label = `${workloadShapes[kind].label}, ${server}, round ${round + 1}/${options.rounds}`
        const run = { kind, server, generator, runId, label }
        const { measurement, check } = await measureServer(run, contestants, options)
        measured[server].push(measurement)
        if (check !== undefined) checks.push(check)
        options.progress.line(`${label}: ${Math.round(measurement.requestsPerSecond)} requests/s`)
      }
    }
  } finally {
    await generator.stop()
  }
  return {
    kind,
    servers: {
      'bare uWS': middle(measured['bare uWS']),
      'node:http': middle(measured['node:http']),
      ingest: middle(measured.ingest),
      'ingest, broker mode': middle(measured['ingest, broker mode']),
    },
    ratioToUws: ratiosTo('bare uWS', measured),
    ratioToNode: ratiosTo('node:http', measured),
    check: mergeChecks(checks),
  }
}

interface ServerRun {
  readonly kind: WorkloadKind
  readonly server: ServerName
  readonly generator: Generator
  readonly runId: string
  readonly label: string
}

async function measureServer(
  run: ServerRun,
  contestants: Contestants,
  options: CompareOptions,
): Promise<{ measurement: Measurement; check: IdCheck | undefined }> {
  const { bus } = contestants
  const isIngest = isOurIngest(run.server)
  const { host, port, processes } = whereIs(run.server, contestants)
  const target = { host, port }
  const { connections } = options
  const warmUpSeconds = Math.min(1, options.seconds / 3)
  await run.generator.run({ ...target, connections, secondsMax: warmUpSeconds })
  if (isIngest) await bus.purge()

  const startedAtMs = systemClock.monotonicMs()
  const { result, measurement } = await measureLoad(
    run.generator,
    { ...target, connections, secondsMax: options.seconds },
    processes,
    {
      onProgress: (answered) => {
        const seconds = (systemClock.monotonicMs() - startedAtMs) / 1000
        options.progress.update(
          run.label,
          seconds / options.seconds,
          `${Math.round(answered / seconds)}/s`,
        )
      },
    },
  )
  if (!isIngest) return { measurement, check: undefined }
  const { eventIds } = await bus.readAll()
  await bus.purge()
  const { answered, counterEnd } = result
  const check = checkIds({ runId: run.runId, answered, counterEnd, storedIds: eventIds })
  return { measurement, check }
}

/** The URL of the server and its processes. */
function whereIs(
  server: ServerName,
  { bench, uws, node, broker }: Contestants,
): { host: string; port: number; processes: NamedProcess[] } {
  switch (server) {
    case 'bare uWS':
    case 'node:http': {
      const { port, pid } = server === 'bare uWS' ? uws : node
      return { host: '127.0.0.1', port, processes: [{ name: server, pid }] }
    }
    case 'ingest': {
      const processes = bench.processes()
      return {
        host: bench.host,
        port: bench.port,
        processes: processes.filter(({ name }) => name === 'ingest' || name === 'nats'),
      }
    }
    case 'ingest, broker mode': {
      const { hostname, port } = new URL(broker.url)
      const { pid } = broker.process
      assert(pid !== undefined)
      const nats = bench.processes().filter(({ name }) => name === 'nats')
      return {
        host: hostname,
        port: Number(port),
        processes: [{ name: 'ingest', pid }, ...nats],
      }
    }
  }
}

function middle(rounds: readonly Measurement[]): Measurement {
  const [first, ...rest] = rounds
  assert(first !== undefined)
  return medianBy([first, ...rest], (round) => round.requestsPerSecond)
}

function ratiosTo(
  server: ServerName,
  measured: Readonly<Record<ServerName, readonly Measurement[]>>,
): Record<IngestName, number> {
  return {
    ingest: medianRatio(measured.ingest, measured[server]),
    'ingest, broker mode': medianRatio(measured['ingest, broker mode'], measured[server]),
  }
}

function medianRatio(ours: readonly Measurement[], theirs: readonly Measurement[]): number {
  const [first, ...rest] = ours.map(
    (round, index) => round.requestsPerSecond / (theirs[index]?.requestsPerSecond ?? Number.NaN),
  )
  assert(first !== undefined)
  return median([first, ...rest])
}
