import { describe, expect, test } from 'vitest'
import type { WorkloadKind } from '../load/workload.ts'
import type { PipelineResult } from '../measure-pipeline.ts'
import type { Comparison } from '../servers/compare-servers.ts'
import type { Measurement } from '../servers/measure-load.ts'
import { judge } from './targets.ts'

const check = { stored: 0, missing: 0, duplicates: 0, unanswered: 0, foreign: 0, examples: [] }

function measurement(
  eventsPerSecond: number,
  seconds = 5,
  memory = { mb: 100, perMinute: 0 },
): Measurement {
  return {
    seconds,
    requestsPerSecond: eventsPerSecond,
    events: eventsPerSecond * seconds,
    eventsPerSecond,
    p50Us: 1,
    p99Us: 2,
    answers: {},
    generatorCpuUsPerRequest: 1,
    processes: [
      {
        name: 'ingest',
        cpuUsPerEvent: 1,
        busy: 1,
        memory: {
          peakBytes: memory.mb * 1e6,
          lastBytes: memory.mb * 1e6,
          bytesPerMinute: memory.perMinute * 1e6,
        },
      },
    ],
  }
}

function comparison(
  kind: WorkloadKind,
  ratioToUws: number,
  eventsPerSecond: number,
  brokerRatioToUws = ratioToUws + 0.05,
): Comparison {
  const server = measurement(eventsPerSecond)
  const servers = {
    'bare uWS': server,
    'node:http': server,
    ingest: server,
    'ingest, broker mode': server,
  }
  const ratios = (ingest: number, broker: number) => ({ ingest, 'ingest, broker mode': broker })
  const ratioTo = { ratioToUws: ratios(ratioToUws, brokerRatioToUws), ratioToNode: ratios(1, 1) }
  return { kind, servers, ...ratioTo, check }
}

function pipeline(queryable: number, held: Measurement): PipelineResult {
  return {
    bursts: [
      {
        kind: '1k',
        queryableSeconds: 1,
        queryableEventsPerSecond: queryable,
        load: measurement(queryable),
      },
    ],
    held: { kind: '1k', eventsPerSecond: 1, lagSeconds: 0, load: held },
    ids: check,
    accounting: { rows: 0, issueCount: 0, accepted: 0, faults: [] },
    profiles: {},
  }
}

const reached = (...input: Parameters<typeof judge>) => judge(...input).map((each) => each.reached)

describe('targets', () => {
  test('a result equal to its target is met', () => {
    const comparisons = [comparison('1k', 0.45, 1_000), comparison('batch', 0.2, 5_000)]
    expect(reached(comparisons, pipeline(8_000, measurement(1, 60)))).toEqual(
      Array.from({ length: 6 }, () => true),
    )
  })

  test('a result just below its target is missed', () => {
    const comparisons = [comparison('1k', 0.44, 1_000), comparison('batch', 0.9, 4_900)]
    const held = measurement(1, 60, { mb: 250, perMinute: 16 })
    expect(reached(comparisons, pipeline(7_999, held))).toEqual(
      Array.from({ length: 6 }, () => false),
    )
  })

  test('targets of parts that did not run are left out', () => {
    expect(judge([], undefined)).toEqual([])
    expect(judge([comparison('10k', 1, 1)], undefined)).toEqual([])
  })

  test('a run too short for a trend is judged by its peak alone', () => {
    const held = measurement(1, 5, { mb: 100, perMinute: 400 })
    expect(reached([], pipeline(9_000, held))).toEqual([true, true])
  })
})
