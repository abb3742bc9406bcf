/** Runs one load and measures the resource usage of all processes. */
import { systemClock } from '#platform/clock.ts'
import type { Generator } from '../load/generator.ts'
import { percentileUs } from '../load/latency-histogram.ts'
import type { LoadOptions, LoadResult } from '../load/load.ts'
import { type MemorySample, type MemoryTrend, memoryTrend } from '../report/memory-trend.ts'
import { type ProcessUsage, readProcessUsage } from '../report/process-usage.ts'
import type { NamedProcess } from '../report/profile-processes.ts'

export interface Measurement {
  readonly seconds: number
  readonly requestsPerSecond: number
  /** Events that were answered 200. */
  readonly events: number
  readonly eventsPerSecond: number
  readonly p50Us: number
  readonly p99Us: number
  /** Requests by status, with `broken` and `unanswered` if there are any. */
  readonly answers: Readonly<Record<string, number>>
  /** Undefined if the system does not report it. */
  readonly generatorCpuUsPerRequest: number | undefined
  readonly processes: readonly ProcessMeasurement[]
}

export interface ProcessMeasurement {
  readonly name: string
  readonly cpuUsPerEvent: number
  /** Average number of cores in use. */
  readonly busy: number
  readonly memory: MemoryTrend
}

export type RunOptions = Omit<LoadOptions, 'counterFirst' | 'onProgress'>

const sampleMs = 1_000

export interface MeasuredLoad {
  readonly result: LoadResult
  readonly measurement: Measurement
}

/** `afterwards` is part of the measurement, such as the wait until everything is stored. */
export async function measureLoad(
  generator: Generator,
  options: RunOptions,
  processes: readonly NamedProcess[],
  extra: {
    readonly onProgress?: (answered: number) => void
    readonly afterwards?: (result: LoadResult) => Promise<void>
  } = {},
): Promise<MeasuredLoad> {
  const startedAtMs = systemClock.monotonicMs()
  const before = processes.map(({ pid }) => readProcessUsage(pid))
  const samples: MemorySample[][] = processes.map(() => [])
  const sample = (): void => {
    const atSeconds = (systemClock.monotonicMs() - startedAtMs) / 1000
    for (const [index, { pid }] of processes.entries()) {
      const usage = readProcessUsage(pid)
      if (usage !== undefined) samples[index]?.push({ atSeconds, bytes: usage.residentBytes })
    }
  }
  const sampler = setInterval(sample, sampleMs)
  let result: LoadResult
  try {
    result = await generator.run(options, extra.onProgress)
    await extra.afterwards?.(result)
  } finally {
    clearInterval(sampler)
  }
  sample()
  const seconds = (systemClock.monotonicMs() - startedAtMs) / 1000
  const used = processes.map(({ name, pid }, index) =>
    processMeasurement(name, {
      before: before[index],
      after: readProcessUsage(pid),
      samples: samples[index] ?? [],
      events: result.events,
      seconds,
    }),
  )
  return { result, measurement: { ...loadMeasurement(result), processes: used } }
}

export function loadMeasurement(result: LoadResult): Omit<Measurement, 'processes'> {
  const requests = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  return {
    seconds: result.seconds,
    requestsPerSecond: requests / result.seconds,
    events: result.events,
    eventsPerSecond: result.events / result.seconds,
    p50Us: percentileUs(result.latencies, 0.5),
    p99Us: percentileUs(result.latencies, 0.99),
    answers: {
      ...result.statuses,
      ...(result.broken === 0 ? {} : { broken: result.broken }),
      ...(result.unanswered === 0 ? {} : { unanswered: result.unanswered }),
    },
    generatorCpuUsPerRequest:
      result.cpuUs === undefined || requests === 0 ? undefined : result.cpuUs / requests,
  }
}

interface Observed {
  readonly before: ProcessUsage | undefined
  readonly after: ProcessUsage | undefined
  readonly samples: readonly MemorySample[]
  readonly events: number
  readonly seconds: number
}

function processMeasurement(name: string, observed: Observed): ProcessMeasurement {
  const { before, after, samples, events, seconds } = observed
  const cpuMs = before === undefined || after === undefined ? 0 : after.cpuMs - before.cpuMs
  return {
    name,
    cpuUsPerEvent: events === 0 ? 0 : (cpuMs * 1000) / events,
    busy: cpuMs / 1000 / seconds,
    memory: memoryTrend(samples),
  }
}
