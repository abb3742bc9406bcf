/**
 * Measures the whole product: a fixed number of events as fast as they are accepted, until the last
 * one is stored and counted on its issue; then a constant rate for a while, for latency, lag and
 * memory. Finally, all answers, rows, issues and outcomes are compared.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import type { BenchStack } from './bench-stack.ts'
import { AnsweredIds } from './load/answered-ids.ts'
import { type AccountingCheck, checkAccounting } from './load/check-accounting.ts'
import { checkIds, type IdCheck, mergeChecks } from './load/check-ids.ts'
import { type Generator, startGenerator } from './load/generator.ts'
import { newRunId } from './load/run-id.ts'
import { type WorkloadKind, workloadIssueCount, workloadShapes } from './load/workload.ts'
import type { Progress } from './report/progress.ts'
import type { ProfileSummary } from './report/summarize-profile.ts'
import { type Measurement, measureLoad, type RunOptions } from './servers/measure-load.ts'
import { openStoredEvents, type StoredCounts, type StoredEvents } from './stored-events.ts'

export interface PipelineMeasurement {
  readonly kind: WorkloadKind
  /** From the first request until the last event can be queried with its issue, in seconds. */
  readonly queryableSeconds: number
  readonly queryableEventsPerSecond: number
  /** CPU and memory include the time until everything can be queried. */
  readonly load: Measurement
}

export interface HeldRate {
  readonly kind: WorkloadKind
  readonly eventsPerSecond: number
  /** From the last answer until everything can be queried, in seconds. */
  readonly lagSeconds: number
  readonly load: Measurement
}

export interface PipelineResult {
  readonly bursts: readonly PipelineMeasurement[]
  readonly held: HeldRate | undefined
  readonly ids: IdCheck
  readonly accounting: AccountingCheck
  /** Profiles of the first burst, if the stack was started for profiling. */
  readonly profiles: Readonly<Record<string, ProfileSummary>>
}

export interface PipelineOptions {
  readonly kinds: readonly WorkloadKind[]
  readonly events: number
  readonly connections: number
  /** 0 skips the constant rate. */
  readonly heldSeconds: number
  readonly seed: number
  readonly nowMs: number
  readonly progress: Progress
}

const pollMs = 200
/** The rest is considered lost if no new row appears within this time. */
const stallMsMax = 60_000
const warmUpEvents = 4_000
const burstSecondsMax = 300
/** Large events are fewer, so that each burst takes about as long. */
const smallEventsInOne: Readonly<Record<WorkloadKind, number>> = {
  '1k': 1,
  '10k': 4,
  '50k': 20,
  batch: 1,
}
/** Share of the burst's rate at which the product is busy but keeps up. */
const heldShare = 0.6

export async function measurePipeline(
  bench: BenchStack,
  options: PipelineOptions,
): Promise<PipelineResult> {
  const stored = openStoredEvents(bench.stack.urls)
  const bursts: PipelineMeasurement[] = []
  const checks: IdCheck[] = []
  let held: HeldRate | undefined
  let profiles: PipelineResult['profiles'] = {}
  try {
    for (const kind of options.kinds) {
      const { seed, nowMs } = options
      const runId = newRunId()
      const generator = await startGenerator(bench.workload(kind, { seed, nowMs, runId }))
      const run: Run = { kind, runId, bench, stored, generator, options, sent: newTally() }
      try {
        await send(run, 'warm-up', {
          secondsMax: burstSecondsMax,
          requestsMax: requestsFor(kind, warmUpEvents),
        })
        const profiler = bursts.length === 0 ? bench.profiler : undefined
        profiler?.begin()
        const burst = await measureBurst(run)
        profiles = (await profiler?.end()) ?? profiles
        bursts.push(burst)
        if (held === undefined && options.heldSeconds > 0) {
          held = await holdRate(run, burst.queryableEventsPerSecond * heldShare)
        }
        checks.push(await checkRun(run))
      } finally {
        await generator.stop()
      }
    }
    const accounting = checkAccounting(await stored.accounting(bench.dsnId), workloadIssueCount)
    return { bursts, held, ids: mergeChecks(checks), accounting, profiles }
  } finally {
    await stored.close()
  }
}

interface Run {
  readonly kind: WorkloadKind
  readonly runId: string
  readonly bench: BenchStack
  readonly stored: StoredEvents
  readonly generator: Generator
  readonly options: PipelineOptions
  readonly sent: Tally
}

/** Everything that one generator sent in all its loads. */
interface Tally {
  readonly answered: AnsweredIds
  counterEnd: number
}

function newTally(): Tally {
  return { answered: new AnsweredIds(), counterEnd: 0 }
}

async function measureBurst(run: Run): Promise<PipelineMeasurement> {
  const { kind, options } = run
  const requestsMax = requestsFor(kind, Math.ceil(options.events / smallEventsInOne[kind]))
  const sent = await send(run, 'end to end', { secondsMax: burstSecondsMax, requestsMax })
  const { measurement, seconds, events } = sent
  return {
    kind,
    queryableSeconds: seconds,
    queryableEventsPerSecond: events / seconds,
    load: measurement,
  }
}

async function holdRate(run: Run, eventsPerSecond: number): Promise<HeldRate> {
  const { kind, options } = run
  const ratePerSecond = eventsPerSecond / workloadShapes[kind].eventsPerRequest
  const sent = await send(run, 'constant rate', { secondsMax: options.heldSeconds, ratePerSecond })
  const { measurement, lagSeconds } = sent
  return { kind, eventsPerSecond, lagSeconds, load: measurement }
}

interface Sent {
  readonly measurement: Measurement
  readonly events: number
  /** From the first request until the last event can be queried, in seconds. */
  readonly seconds: number
  readonly lagSeconds: number
}

/** Runs one load and waits until all of it can be queried. */
async function send(
  run: Run,
  label: string,
  load: Pick<RunOptions, 'secondsMax' | 'requestsMax' | 'ratePerSecond'>,
): Promise<Sent> {
  const { bench, generator, options, sent, stored } = run
  const title = `${label}, ${workloadShapes[run.kind].label}`
  const storedBefore = await stored.counts()
  const startedAtMs = systemClock.monotonicMs()
  let answeredAtMs = startedAtMs
  let queryableAtMs = startedAtMs
  const target = { host: bench.host, port: bench.port, connections: options.connections }
  const { result, measurement } = await measureLoad(
    generator,
    { ...target, ...load },
    bench.processes(),
    {
      onProgress: (answered) => {
        const seconds = (systemClock.monotonicMs() - startedAtMs) / 1000
        const share = answered / (load.requestsMax ?? answered * (load.secondsMax / seconds))
        options.progress.update(title, share / 2, `${Math.round(answered / seconds)} requests/s`)
      },
      afterwards: async (answered) => {
        answeredAtMs = systemClock.monotonicMs()
        await waitUntilQueryable(run, title, storedBefore, answered.events)
        queryableAtMs = systemClock.monotonicMs()
      },
    },
  )
  sent.answered.addAll(result.answered)
  sent.counterEnd = result.counterEnd
  const seconds = (queryableAtMs - startedAtMs) / 1000
  options.progress.line(
    `${title}: ${result.events} events answered 200 in ${result.seconds.toFixed(1)} s, can be queried after ${seconds.toFixed(1)} s`,
  )
  return {
    measurement,
    events: result.events,
    seconds,
    lagSeconds: (queryableAtMs - answeredAtMs) / 1000,
  }
}

/** Events without a 200 may be stored as well, so there may be more than expected. */
async function waitUntilQueryable(
  run: Run,
  title: string,
  before: StoredCounts,
  events: number,
): Promise<void> {
  let best = 0
  let bestAtMs = systemClock.monotonicMs()
  while (true) {
    const counts = await run.stored.counts()
    const arrived = Math.min(counts.rows - before.rows, counts.counted - before.counted)
    if (arrived >= events) return
    const nowMs = systemClock.monotonicMs()
    if (arrived > best) [best, bestAtMs] = [arrived, nowMs]
    if (nowMs - bestAtMs > stallMsMax) {
      throw new Error(
        `${title}: of ${events} events answered 200, only ${counts.rows - before.rows} are stored and ${counts.counted - before.counted} counted on issues, with no progress for ${stallMsMax / 1000} s`,
      )
    }
    run.options.progress.update(title, 0.5 + arrived / events / 2, `${arrived} queryable`)
    await sleep(pollMs)
  }
}

async function checkRun(run: Run): Promise<IdCheck> {
  const { runId, sent, stored, options } = run
  options.progress.update(`comparing ids, ${workloadShapes[run.kind].label}`, 0)
  const storedIds = await stored.ids(runId)
  return checkIds({ runId, storedIds, answered: sent.answered, counterEnd: sent.counterEnd })
}

function requestsFor(kind: WorkloadKind, events: number): number {
  return Math.ceil(events / workloadShapes[kind].eventsPerRequest)
}
