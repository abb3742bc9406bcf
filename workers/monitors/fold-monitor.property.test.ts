/**
 * The result does not depend on how the stream is cut into ranges or on repetitions. The seed is
 * fixed.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkInStatuses } from '#schemas/wire/check-in.ts'
import type { MonitorConfig } from '#schemas/wire/monitor-config.ts'
import { written } from '../../test/fixtures/workers/written.ts'
import {
  type CheckInRecord,
  defaultConfig,
  type FoldedMonitor,
  foldMonitor,
  type StoredMonitor,
} from './fold-monitor.ts'
import { PassedMinutes } from './passed-minutes.ts'

const runs = { seed: 20_261_121, numRuns: 300 }
const start = Date.parse('2026-11-21T10:00:00Z')

const fresh: StoredMonitor = {
  projectId: 1,
  id: 'monitor',
  slug: 'job',
  config: defaultConfig,
  muted: false,
  isDue: false,
  environments: new Map(),
  runs: [],
}

const configs = fc.record<MonitorConfig>({
  schedule: fc.constantFrom(
    { type: 'crontab', value: '*/5 * * * *' } as const,
    { type: 'interval', value: 7, unit: 'minute' } as const,
  ),
  timezone: fc.constant('UTC'),
  checkinMargin: fc.integer({ min: 1, max: 6 }),
  maxRuntime: fc.integer({ min: 1, max: 10 }),
  failureIssueThreshold: fc.integer({ min: 1, max: 3 }),
  recoveryThreshold: fc.integer({ min: 1, max: 3 }),
})

/** A record of the stream: a check-in, or another record that only carries a time. */
const logs = fc
  .tuple(
    configs,
    fc.array(
      fc.record({
        waitSeconds: fc.integer({ min: 15, max: 400 }),
        id: fc.constantFrom('a', 'b', 'c', 'd', 'e', undefined),
        status: fc.constantFrom(...checkInStatuses),
        environment: fc.constantFrom('production', 'staging'),
        isCheckIn: fc.boolean(),
      }),
      { maxLength: 60 },
    ),
  )
  .map(([config, items]) => {
    let atMs = start
    return items.map(({ waitSeconds, id, status, environment, isCheckIn }, index) => {
      atMs += waitSeconds * 1000
      const checkIn = written<CheckInRecord>({
        projectId: 1,
        dsnKeyNo: 1,
        component: '',
        sdk: '',
        recordId: `record-${index}`,
        receivedAtMs: atMs,
        slug: 'job',
        // Ids belong to one environment.
        checkInId: id && `${id} ${environment}`,
        status,
        environment,
        config,
        durationMs: undefined,
        release: undefined,
        trace: undefined,
        error: undefined,
      })
      return { atMs, checkIn: isCheckIn ? checkIn : undefined }
    })
  })

type Log = typeof logs extends fc.Arbitrary<infer Items> ? Items : never

function foldRange(monitor: StoredMonitor, range: Log): FoldedMonitor {
  const minutes = new PassedMinutes()
  for (const { atMs } of range) minutes.add(atMs)
  const checkIns = range.flatMap(({ checkIn }) => checkIn ?? [])
  return foldMonitor(monitor, checkIns, minutes.list())
}

function next(before: StoredMonitor, { monitor, environments, runs }: FoldedMonitor) {
  const states = new Map(before.environments)
  for (const { identity, state } of environments) states.set(identity.environment, state)
  const all = new Map(before.runs.map((run) => [run.id, run]))
  for (const run of runs) all.set(run.id, run)
  return { ...monitor, environments: states, runs: [...all.values()] }
}

function foldRanges(ranges: readonly Log[]) {
  let monitor = fresh
  const failures: FoldedMonitor['failures'][number][] = []
  const recoveries: FoldedMonitor['recoveries'][number][] = []
  for (const range of ranges) {
    const folded = foldRange(monitor, range)
    failures.push(...folded.failures)
    recoveries.push(...folded.recoveries)
    monitor = next(monitor, folded)
  }
  return { monitor, failures, recoveries }
}

test('one range and many ranges give the same result', () => {
  fc.assert(
    fc.property(logs, fc.array(fc.nat(60), { maxLength: 6 }), (log, cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), log.length]
      const ranges = edges.slice(1).map((edge, index) => log.slice(edges[index], edge))
      const want = foldRanges([log])
      const got = foldRanges(ranges)
      expect(got.failures).toEqual(want.failures)
      expect(got.recoveries).toEqual(want.recoveries)
      expect(got.monitor.environments).toEqual(want.monitor.environments)
      expect(new Map(got.monitor.runs.map((run) => [run.id, run]))).toEqual(
        new Map(want.monitor.runs.map((run) => [run.id, run])),
      )
    }),
    runs,
  )
})

test('repeated records create no run, no event and no recovery', () => {
  fc.assert(
    fc.property(logs, (log) => {
      const named = log.filter(({ checkIn }) => checkIn === undefined || checkIn.checkInId)
      const once = foldRanges([named])
      const again = foldRange(once.monitor, named)
      expect([again.failures, again.recoveries]).toEqual([[], []])
      expect(next(once.monitor, again).runs).toEqual(once.monitor.runs)
    }),
    runs,
  )
})

test('every failed run of an incident created one event with a unique id', () => {
  fc.assert(
    fc.property(logs, (log) => {
      const { monitor, failures } = foldRanges([log])
      const ids = failures.map(({ run }) => run.eventId)
      expect(new Set(ids).size).toBe(ids.length)
      const made = monitor.runs.flatMap(({ eventId }) => eventId ?? [])
      expect(made.toSorted()).toEqual(ids.toSorted())
    }),
    runs,
  )
})
