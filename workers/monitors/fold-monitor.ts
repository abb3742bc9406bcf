/**
 * Folds the check-ins of one monitor in a range, in stream order, together with the minutes that
 * pass in the range. The stream is the clock: a worker that was down for an hour sees each check-in
 * before the minutes that follow it, so no check-in that reached the bus in time is counted as
 * missed. The result does not depend on how the stream is cut into ranges.
 */
import type { StoredText } from '#schemas/stored-text.ts'
import type { ParsedCheckIn } from '#schemas/wire/check-in.ts'
import { type MonitorConfig, readSchedule, type Schedule } from '#schemas/wire/monitor-config.ts'
import { applyCheckIn, type ReceivedCheckIn } from './apply-check-in.ts'
import {
  freshState,
  type MonitorFailure,
  type MonitorInEnvironment,
  type MonitorRecovery,
  type MonitorRefusal,
  type MonitorRules,
  type MonitorRun,
  type MonitorState,
  type MonitorStep,
} from './monitor-run.ts'
import { tickMonitor } from './tick-monitor.ts'

/** A check-in as the digest passes it to the commit. */
export interface CheckInRecord extends ReceivedCheckIn {
  readonly projectId: number
  /** DSN key, component and SDK identify the row of its outcome. */
  readonly dsnKeyNo: number
  readonly component: StoredText
  readonly sdk: StoredText
  readonly error: Extract<ParsedCheckIn, { kind: 'check_in' }>['error']
}

export interface StoredConfig extends Omit<MonitorConfig, 'schedule'> {
  /** Null if no check-in and no request has configured it. */
  readonly schedule: Schedule | null
}

export const defaultConfig: StoredConfig = {
  schedule: null,
  timezone: 'UTC',
  checkinMargin: 1,
  maxRuntime: 30,
  failureIssueThreshold: 1,
  recoveryThreshold: 1,
}

export interface StoredMonitor {
  readonly projectId: number
  readonly id: string
  readonly slug: string
  readonly config: StoredConfig
  readonly muted: boolean
  /** The time at which it is due next has to be stored again, even if nothing else changes. */
  readonly isDue: boolean
  readonly environments: ReadonlyMap<string, MonitorState>
  /** All that are running, and those whose ids occur in the range, of all environments. */
  readonly runs: readonly StoredRun[]
}

export interface StoredRun extends MonitorRun {
  readonly monitorId: string
  readonly environment: string
}

export interface MonitorProblem {
  readonly atMs: number
  readonly reason: string
  readonly environment: string
  readonly detail: string
}

export interface FoldedMonitor {
  readonly monitor: StoredMonitor
  readonly isConfigChanged: boolean
  readonly problem: MonitorProblem | undefined
  /** The environments that changed. */
  readonly environments: readonly MonitorInEnvironment[]
  readonly runs: readonly StoredRun[]
  readonly failures: readonly (MonitorFailure & { readonly environment: string })[]
  readonly recoveries: readonly (MonitorRecovery & { readonly environment: string })[]
  readonly refusals: readonly RefusedCheckIn[]
}

export interface RefusedCheckIn {
  readonly checkIn: CheckInRecord
  readonly reason: MonitorRefusal
}

/** Changes of monitors by a range, for the metrics. */
export interface MonitorResult {
  /** Failures that became events. */
  readonly failures: number
  /** One reason for each refused check-in. */
  readonly refusals: readonly MonitorRefusal[]
  /** Alert rules that fired. The transaction enqueues their notifications. */
  readonly firedRules?: readonly string[]
}

/** Clients choose the names of environments, so their number is bounded. */
export const environmentsPerMonitorMax = 50
const minuteMs = 60_000

/**
 * @param minutes the minutes that pass in the range, ascending, in milliseconds since the epoch.
 * Undefined if no time passes, because records that were received earlier are still to come.
 */
export function foldMonitor(
  monitor: StoredMonitor,
  checkIns: readonly CheckInRecord[],
  minutes: readonly number[] | undefined,
): FoldedMonitor {
  const fold = new MonitorFold(monitor)
  const passing = minutes ?? []
  let next = 0
  for (const checkIn of checkIns) {
    const minute = Math.floor(checkIn.receivedAtMs / minuteMs) * minuteMs
    for (; next < passing.length && passing[next]! <= minute; next += 1) fold.tick(passing[next]!)
    if (minutes !== undefined) fold.tickIn(checkIn.environment, minute)
    fold.checkIn(checkIn)
  }
  for (; next < passing.length; next += 1) fold.tick(passing[next]!)
  return fold.finish()
}

interface Track {
  state: MonitorState
  readonly runs: Map<string, MonitorRun>
  changed: boolean
}

class MonitorFold {
  readonly #monitor: StoredMonitor
  readonly #tracks = new Map<string, Track>()
  readonly #changedRuns = new Map<string, StoredRun>()
  readonly #failures: (MonitorFailure & { readonly environment: string })[] = []
  readonly #recoveries: (MonitorRecovery & { readonly environment: string })[] = []
  readonly #refusals: RefusedCheckIn[] = []
  readonly #homes = new Map<string, string>()
  #config: StoredConfig
  #rules: MonitorRules
  #problem: MonitorProblem | undefined

  constructor(monitor: StoredMonitor) {
    this.#monitor = monitor
    this.#config = monitor.config
    this.#rules = rulesOf(monitor.config, monitor.muted)
    for (const [environment, state] of monitor.environments) {
      Object.assign(this.#track(environment), { state, changed: monitor.isDue })
    }
    for (const { monitorId, environment, ...run } of monitor.runs) {
      this.#homes.set(run.id, homeOf(monitorId, environment))
      if (monitorId === monitor.id) this.#track(environment).runs.set(run.id, run)
    }
  }

  tick(nowMs: number): void {
    for (const environment of this.#tracks.keys()) this.#tick(environment, nowMs)
  }

  tickIn(environment: string, nowMs: number): void {
    if (this.#tracks.has(environment)) this.#tick(environment, nowMs)
  }

  checkIn(checkIn: CheckInRecord): void {
    const { environment, config, error, receivedAtMs } = checkIn
    if (config !== undefined) this.#setConfig(config)
    if (error !== undefined) {
      const detail = `${error.field} ${error.rule}`
      this.#problem = { atMs: receivedAtMs, reason: 'invalid_config', environment, detail }
    }
    if (!this.#tracks.has(environment) && environmentsPerMonitorMax <= this.#tracks.size) {
      this.#refuse(checkIn, 'too_many_environments')
      return
    }
    const id = checkIn.checkInId ?? checkIn.recordId
    const home = this.#homes.get(id)
    const isForeign = home !== undefined && home !== homeOf(this.#monitor.id, environment)
    const step = applyCheckIn(this.#inEnvironment(environment), checkIn, isForeign)
    this.#take(environment, step)
    this.#track(environment).changed = true
    if (step.refusal !== undefined) this.#refuse(checkIn, step.refusal)
  }

  finish(): FoldedMonitor {
    const changed = [...this.#tracks].filter(([, track]) => track.changed)
    return {
      monitor: { ...this.#monitor, config: this.#config },
      isConfigChanged: this.#config !== this.#monitor.config,
      problem: this.#problem,
      environments: changed.map(([environment]) => this.#inEnvironment(environment)),
      runs: [...this.#changedRuns.values()],
      failures: this.#failures,
      recoveries: this.#recoveries,
      refusals: this.#refusals,
    }
  }

  #tick(environment: string, nowMs: number): void {
    const monitor = this.#inEnvironment(environment)
    const step = tickMonitor(monitor, nowMs)
    if (step.state === monitor.state && step.runs.length === 0) return
    this.#track(environment).changed = true
    this.#take(environment, step)
  }

  #take(environment: string, { state, runs, failures, recoveries }: MonitorStep): void {
    const track = this.#track(environment)
    const monitorId = this.#monitor.id
    track.state = state
    for (const run of runs) {
      track.runs.set(run.id, run)
      this.#homes.set(run.id, homeOf(monitorId, environment))
      this.#changedRuns.set(run.id, { ...run, monitorId, environment })
    }
    for (const failure of failures) this.#failures.push({ ...failure, environment })
    for (const recovery of recoveries) this.#recoveries.push({ ...recovery, environment })
  }

  #refuse(checkIn: CheckInRecord, reason: MonitorRefusal): void {
    this.#refusals.push({ checkIn, reason })
    const { receivedAtMs, environment, checkInId } = checkIn
    const detail = checkInId === undefined ? '' : `check_in_id ${checkInId}`
    this.#problem = { atMs: receivedAtMs, reason, environment, detail }
  }

  #setConfig(config: MonitorConfig): void {
    if (JSON.stringify(wordsOf(config)) === JSON.stringify(wordsOf(this.#config))) return
    this.#config = config
    this.#rules = rulesOf(config, this.#monitor.muted)
  }

  #inEnvironment(environment: string): MonitorInEnvironment {
    const { projectId, id, slug } = this.#monitor
    const { state, runs } = this.#track(environment)
    const identity = { projectId, monitorId: id, slug, environment }
    return { identity, rules: this.#rules, state, runs }
  }

  #track(environment: string): Track {
    let track = this.#tracks.get(environment)
    if (track === undefined) {
      track = { state: freshState, runs: new Map(), changed: false }
      this.#tracks.set(environment, track)
    }
    return track
  }
}

export function rulesOf(config: StoredConfig, muted: boolean): MonitorRules {
  const { schedule, timezone } = config
  return {
    schedule: schedule === null ? undefined : readSchedule(schedule),
    timezone,
    rhythm: schedule === null ? '' : `${timezone} ${scheduleText(schedule)}`,
    marginMs: config.checkinMargin * minuteMs,
    maxRuntimeMs: config.maxRuntime * minuteMs,
    failureThreshold: config.failureIssueThreshold,
    recoveryThreshold: config.recoveryThreshold,
    muted,
  }
}

function scheduleText(schedule: Schedule): string {
  return schedule.type === 'crontab' ? schedule.value : `${schedule.value} ${schedule.unit}`
}

function wordsOf(config: StoredConfig) {
  const { schedule, timezone, checkinMargin, maxRuntime } = config
  const { failureIssueThreshold, recoveryThreshold } = config
  const schedules = schedule === null ? '' : scheduleText(schedule)
  return [schedules, timezone, checkinMargin, maxRuntime, failureIssueThreshold, recoveryThreshold]
}

function homeOf(monitorId: string, environment: string): string {
  return `${monitorId} ${environment}`
}
