import { describe, expect, test } from 'vitest'
import type { WorkloadKind } from '../load/workload.ts'
import type { PipelineMeasurement, PipelineResult } from '../measure-pipeline.ts'
import type { Comparison } from '../servers/compare-servers.ts'
import type { Measurement } from '../servers/measure-load.ts'
import { judge, type MeasuredRun } from './targets.ts'

const check = { stored: 0, missing: 0, duplicates: 0, unanswered: 0, foreign: 0, examples: [] }

function measurement(cpuUs: Record<string, number>, options: Options = {}): Measurement {
  const { seconds = 60, mb = 100, perMinute = 0 } = options
  const bytes = { peakBytes: mb * 1e6, lastBytes: mb * 1e6, bytesPerMinute: perMinute * 1e6 }
  return {
    seconds,
    requestsPerSecond: 1,
    events: 1,
    eventsPerSecond: 1,
    p50Us: 1,
    p99Us: 2,
    answers: {},
    generatorCpuUsPerRequest: 1,
    processes: Object.entries(cpuUs).map(([name, cpuUsPerEvent]) => ({
      name,
      cpuUsPerEvent,
      busy: 1,
      memory: bytes,
    })),
  }
}

interface Options {
  readonly seconds?: number
  readonly mb?: number
  readonly perMinute?: number
}

/** @param more added to every cost, and taken off every rate. */
function run(more: number, held: Options = {}): MeasuredRun {
  const comparison = (kind: WorkloadKind, ingest: number, nats: number): Comparison => ({
    kind,
    servers: {
      'bare uWS': measurement({ uws: 10 }),
      'node:http': measurement({ node: 30 }),
      ingest: measurement({ ingest: ingest + more, nats }),
      'ingest, broker mode': measurement({ ingest: 21 + more, nats }),
    },
    ratioToUws: { ingest: 1, 'ingest, broker mode': 1 },
    ratioToNode: { ingest: 1, 'ingest, broker mode': 1 },
    check,
  })
  const burst = (
    kind: WorkloadKind,
    rate: number,
    cpu: Record<string, number>,
  ): PipelineMeasurement => ({
    kind,
    queryableSeconds: 1,
    queryableEventsPerSecond: rate - more,
    load: measurement(cpu),
  })
  const pipeline: PipelineResult = {
    bursts: [
      burst('1k', 20_000, { workers: 24 + more, clickhouse: 15 + more, ingest: 46 }),
      burst('10k', 5_000, {}),
      burst('50k', 1_500, { workers: 480 + more, clickhouse: 250 + more, ingest: 570 }),
    ],
    held: {
      kind: '1k',
      eventsPerSecond: 1,
      lagSeconds: 0,
      load: measurement({ ingest: 1 }, { mb: 250 + more, perMinute: 16 + more, ...held }),
    },
    ids: check,
    accounting: { rows: 0, issueCount: 0, accepted: 0, faults: [] },
    profiles: {},
  }
  return {
    comparisons: [comparison('1k', 24, 5), comparison('50k', 100, 120), comparison('batch', 5, 5)],
    pipeline,
    digest: [
      { kb: 1, us: 20, floorUs: 10, ratio: 2.8 + more },
      { kb: 50, us: 400, floorUs: 200, ratio: 1.8 + more },
    ],
  }
}

const reached = (measured: MeasuredRun) => judge(measured).map((verdict) => verdict.reached)
const targetCount = 17

describe('targets', () => {
  test('a result equal to its target is met', () => {
    expect(reached(run(0))).toEqual(Array.from({ length: targetCount }, () => true))
  })

  test('a result just beyond its target is missed', () => {
    expect(reached(run(0.01))).toEqual(Array.from({ length: targetCount }, () => false))
  })

  test('targets of parts that did not run are left out', () => {
    const nothing = { comparisons: [], pipeline: undefined, digest: [] }
    expect(judge(nothing)).toEqual([])
    expect(judge({ ...nothing, comparisons: run(0).comparisons })).toHaveLength(4)
    expect(judge({ ...nothing, digest: run(0).digest })).toHaveLength(2)
  })

  test('a run too short for a trend is judged by its peak alone', () => {
    expect(judge(run(0, { seconds: 5 }))).toHaveLength(targetCount - 1)
  })

  test('says what was wanted and measured, with units', () => {
    const [ratio] = judge({ ...run(0), comparisons: [], pipeline: undefined })
    expect(ratio).toMatchObject({ wanted: 'at most 2.80, goal 2.20', measured: '2.80' })
    const rate = judge(run(0)).find(({ what }) => what.startsWith('1 KB events until'))
    expect(rate).toMatchObject({ wanted: 'at least 20,000 events/s', measured: '20,000 events/s' })
  })
})
