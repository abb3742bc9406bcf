/** The performance targets, and whether a run met them. RESULTS.md lists both. */

import type { DigestCost } from '../digest/digest-cost.ts'
import type { WorkloadKind } from '../load/workload.ts'
import type { PipelineMeasurement, PipelineResult } from '../measure-pipeline.ts'
import type { Comparison } from '../servers/compare-servers.ts'
import type { Measurement } from '../servers/measure-load.ts'

export interface Verdict {
  readonly what: string
  readonly wanted: string
  readonly measured: string
  readonly reached: boolean
}

/** Parts that did not run are empty or undefined. */
export interface MeasuredRun {
  readonly comparisons: readonly Comparison[]
  readonly pipeline: PipelineResult | undefined
  readonly digest: readonly DigestCost[]
}

interface Target {
  readonly what: string
  readonly bound: 'at most' | 'at least'
  readonly limit: number
  /** What would be better still. */
  readonly aim?: number
  readonly unit: 'ratio' | 'µs' | 'events/s' | 'MB' | 'MB/min'
  /** Undefined if the part did not run. */
  readonly measure: (run: MeasuredRun) => number | undefined
}

/** Over a shorter time, garbage collection dominates the slope. */
const trendSecondsMin = 30

// biome-ignore format: a target a line
const targets: readonly Target[] = [
  { what: 'digest of a 1 KB event, relative to its JSON', bound: 'at most', limit: 2.8, aim: 2.2, unit: 'ratio', measure: digestRatio(1) },
  { what: 'digest of a 50 KB event, relative to its JSON', bound: 'at most', limit: 1.8, aim: 1.4, unit: 'ratio', measure: digestRatio(50) },
  { what: 'workers process at 1 KB, relative to the digest', bound: 'at most', limit: 1.2, unit: 'ratio', measure: workersToDigest(1, '1k') },
  { what: 'workers process at 50 KB, relative to the digest', bound: 'at most', limit: 1.2, unit: 'ratio', measure: workersToDigest(50, '50k') },
  { what: 'ClickHouse, 1 KB event', bound: 'at most', limit: 15, unit: 'µs', measure: burstCpu('1k', 'clickhouse') },
  { what: 'ClickHouse, 50 KB event', bound: 'at most', limit: 250, unit: 'µs', measure: burstCpu('50k', 'clickhouse') },
  { what: 'ingest, 1 KB, with the log, CPU relative to bare uWS', bound: 'at most', limit: 2.4, unit: 'ratio', measure: ingestToBare('ingest') },
  { what: 'ingest, 1 KB, broker mode, CPU relative to bare uWS', bound: 'at most', limit: 2.1, unit: 'ratio', measure: ingestToBare('ingest, broker mode') },
  { what: 'ingest, 50-event envelopes with the log', bound: 'at most', limit: 5, unit: 'µs', measure: ({ comparisons }) => cpuOf(serverOf(comparisons, 'batch', 'ingest'), ['ingest']) },
  { what: 'ingest and nats-server, 50 KB', bound: 'at most', limit: 220, unit: 'µs', measure: ({ comparisons }) => cpuOf(serverOf(comparisons, '50k', 'ingest'), ['ingest', 'nats']) },
  { what: 'whole product, 1 KB event', bound: 'at most', limit: 85, aim: 70, unit: 'µs', measure: burstCpu('1k') },
  { what: 'whole product, 50 KB event', bound: 'at most', limit: 1_300, unit: 'µs', measure: burstCpu('50k') },
  { what: '1 KB events until queryable with their issue', bound: 'at least', limit: 20_000, unit: 'events/s', measure: queryable('1k') },
  { what: '10 KB events until queryable with their issue', bound: 'at least', limit: 5_000, unit: 'events/s', measure: queryable('10k') },
  { what: '50 KB events until queryable with their issue', bound: 'at least', limit: 1_500, unit: 'events/s', measure: queryable('50k') },
  { what: 'ingest, resident memory at the constant rate: peak', bound: 'at most', limit: 250, unit: 'MB', measure: heldMemory(({ peakBytes }) => peakBytes) },
  { what: 'ingest, resident memory at the constant rate: growth', bound: 'at most', limit: 16, unit: 'MB/min', measure: heldMemory(({ bytesPerMinute }) => bytesPerMinute, trendSecondsMin) },
]

/** Targets whose part did not run are left out. */
export function judge(run: MeasuredRun): Verdict[] {
  return targets.flatMap(({ what, bound, limit, aim, unit, measure }) => {
    const measured = measure(run)
    if (measured === undefined) return []
    const goal = aim === undefined ? '' : `, goal ${shown(aim, unit)}`
    return {
      what,
      wanted: `${bound} ${shown(limit, unit)}${goal}`,
      measured: shown(measured, unit),
      reached: bound === 'at most' ? measured <= limit : measured >= limit,
    }
  })
}

function shown(value: number, unit: Target['unit']): string {
  if (unit === 'ratio') return value.toFixed(2)
  if (unit === 'µs' && value < 100) return `${value.toFixed(1)} µs`
  return `${Math.round(value).toLocaleString('en-US')} ${unit}`
}

function digestRatio(kb: number) {
  return ({ digest }: MeasuredRun) => digest.find((cost) => cost.kb === kb)?.ratio
}

function workersToDigest(kb: number, kind: WorkloadKind) {
  return (run: MeasuredRun) => {
    const digestUs = run.digest.find((cost) => cost.kb === kb)?.us
    const workersUs = burstCpu(kind, 'workers')(run)
    return digestUs === undefined || workersUs === undefined ? undefined : workersUs / digestUs
  }
}

/** CPU time of an event in one process, or in all. */
function burstCpu(kind: WorkloadKind, process?: string) {
  return (run: MeasuredRun) =>
    cpuOf(burstOf(run, kind)?.load, process === undefined ? undefined : [process])
}

function queryable(kind: WorkloadKind) {
  return (run: MeasuredRun) => burstOf(run, kind)?.queryableEventsPerSecond
}

function ingestToBare(name: 'ingest' | 'ingest, broker mode') {
  return ({ comparisons }: MeasuredRun) => {
    const ours = cpuOf(serverOf(comparisons, '1k', name), ['ingest'])
    const bare = serverOf(comparisons, '1k', 'bare uWS')?.processes[0]?.cpuUsPerEvent
    return ours === undefined || !bare ? undefined : ours / bare
  }
}

type Memory = Measurement['processes'][number]['memory']

function heldMemory(bytesOf: (memory: Memory) => number, secondsMin = 0) {
  return ({ pipeline }: MeasuredRun) => {
    const load = pipeline?.held?.load
    const memory = load?.processes.find(({ name }) => name === 'ingest')?.memory
    if (load === undefined || memory === undefined || load.seconds < secondsMin) return undefined
    return bytesOf(memory) / 1e6
  }
}

function burstOf({ pipeline }: MeasuredRun, kind: WorkloadKind): PipelineMeasurement | undefined {
  return pipeline?.bursts.find((burst) => burst.kind === kind)
}

function serverOf(
  comparisons: readonly Comparison[],
  kind: WorkloadKind,
  name: keyof Comparison['servers'],
): Measurement | undefined {
  return comparisons.find((comparison) => comparison.kind === kind)?.servers[name]
}

/** In µs for each event; by default of all processes. */
function cpuOf(load: Measurement | undefined, names?: readonly string[]): number | undefined {
  const counted = load?.processes.filter(({ name }) => names?.includes(name) ?? true) ?? []
  if (counted.length === 0) return undefined
  return counted.reduce((sum, { cpuUsPerEvent }) => sum + cpuUsPerEvent, 0)
}
