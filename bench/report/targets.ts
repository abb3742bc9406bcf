/** The performance targets, and whether a run met them. RESULTS.md lists both. */

import type { PipelineResult } from '../measure-pipeline.ts'
import type { Comparison } from '../servers/compare-servers.ts'

export interface Verdict {
  readonly what: string
  readonly wanted: string
  readonly measured: string
  readonly reached: boolean
}

const ratioToUwsMin = 0.45
const ratioToUwsAim = 0.55
const brokerRatioToUwsMin = 0.5
const brokerRatioToUwsAim = 0.65
const batchGainMin = 5
const queryablePerSecondMin = 8_000
const queryablePerSecondAim = 15_000
const ingestBytesMax = 250 * 1000 * 1000
const ingestGrowthPerMinuteMax = 16 * 1000 * 1000
/** Over a shorter time, garbage collection dominates the slope. */
const trendSecondsMin = 30

/** Targets whose part did not run are left out. */
export function judge(
  comparisons: readonly Comparison[],
  pipeline: PipelineResult | undefined,
): Verdict[] {
  const verdicts: Verdict[] = []
  const singles = comparisons.find(({ kind }) => kind === '1k')
  const batch = comparisons.find(({ kind }) => kind === 'batch')
  if (singles !== undefined) {
    const { ingest, 'ingest, broker mode': broker } = singles.ratioToUws
    verdicts.push({
      what: '1 KB singles, durable, relative to bare uWS',
      wanted: `at least ${ratioToUwsMin}, goal ${ratioToUwsAim}`,
      measured: ingest.toFixed(2),
      reached: ingest >= ratioToUwsMin,
    })
    verdicts.push({
      what: '1 KB singles, acknowledged by the broker alone, relative to bare uWS',
      wanted: `at least ${brokerRatioToUwsMin}, goal ${brokerRatioToUwsAim}`,
      measured: broker.toFixed(2),
      reached: broker >= brokerRatioToUwsMin,
    })
  }
  if (singles !== undefined && batch !== undefined) {
    const gain =
      batch.servers.ingest.eventsPerSecond / Math.max(1, singles.servers.ingest.eventsPerSecond)
    verdicts.push({
      what: 'events per second, 50-event envelopes relative to singles',
      wanted: `at least ${batchGainMin} ×`,
      measured: `${gain.toFixed(1)} ×`,
      reached: gain >= batchGainMin,
    })
  }
  const burst = pipeline?.bursts.find(({ kind }) => kind === '1k')
  if (burst !== undefined) {
    verdicts.push({
      what: '1 KB events per second until queryable with their issue',
      wanted: `at least ${queryablePerSecondMin}, goal ${queryablePerSecondAim}`,
      measured: String(Math.round(burst.queryableEventsPerSecond)),
      reached: burst.queryableEventsPerSecond >= queryablePerSecondMin,
    })
  }
  const held = pipeline?.held?.load
  const memory = held?.processes.find(({ name }) => name === 'ingest')?.memory
  if (held !== undefined && memory !== undefined) {
    verdicts.push({
      what: 'ingest, resident memory at the constant rate: peak',
      wanted: `under ${ingestBytesMax / 1e6} MB`,
      measured: `${Math.round(memory.peakBytes / 1e6)} MB`,
      reached: memory.peakBytes < ingestBytesMax,
    })
  }
  if (held !== undefined && memory !== undefined && held.seconds >= trendSecondsMin) {
    verdicts.push({
      what: 'ingest, resident memory at the constant rate: growth',
      wanted: `flat: under ${ingestGrowthPerMinuteMax / 1e6} MB/min`,
      measured: `${(memory.bytesPerMinute / 1e6).toFixed(1)} MB/min`,
      reached: memory.bytesPerMinute < ingestGrowthPerMinuteMax,
    })
  }
  return verdicts
}
