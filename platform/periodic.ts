/**
 * Periodic work of one process: named tasks, each of which runs again a fixed interval after its
 * last run has ended, so that runs of one task never overlap. A failed run is logged and the task
 * goes on. Work that has to run once per period over all processes is not for this file: it is a
 * cron job of the job queue (workers/jobs/cron-jobs.ts).
 *
 *   waiting  --interval has passed, or run()-->  running
 *   running  --ended or failed-->                waiting, or running if run() was called meanwhile
 *   waiting, running  --stop(), fatal error-->   stopped (a run in progress is awaited)
 */
import type { Registry } from 'prom-client'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'
import { sharedGauge } from './metrics/create-metric.ts'
import type { LabelledGauge } from './metrics/metric-types.ts'

export interface PeriodicTaskOptions {
  /** Label of the metric: snake case, unique in the process. */
  readonly name: string
  /** Milliseconds from the end of one run to the start of the next. */
  readonly intervalMs: number
  /** `now`: the first run starts immediately. Default: after one interval. */
  readonly first?: 'now' | 'after_interval'
  /** The signal is aborted when the task is stopped, so that a long run can end early. */
  readonly run: (signal: AbortSignal) => unknown
  readonly failure: PeriodicFailure
  /** Errors for which a retry is useless. They end the process instead of being logged. */
  readonly isFatal?: (error: unknown) => boolean
}

export interface PeriodicFailure {
  readonly code: string
  /** What failed, such as "Stream maintenance failed". The log line adds when the next run is. */
  readonly text: string
  /** Default: `warn`. */
  readonly level?: 'warn' | 'debug'
}

export interface PeriodicTask {
  /**
   * Runs the task now. If a run is in progress, one more follows it, because the first may have
   * missed what the caller knows. Resolves when that run has ended, also if it failed.
   */
  run(): Promise<void>
  /** Starts no further run. Resolves when the run in progress has ended. */
  stop(): Promise<void>
}

export interface PeriodicTasksOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly registry: Registry
  /** How long `stop` waits for runs in progress, in milliseconds. */
  readonly drainMsMax?: number
  /**
   * Receives fatal errors. By default they are thrown as uncaught errors, which drain and end the
   * process.
   */
  readonly onFatal?: (error: unknown) => void
}

const drainMsMaxDefault = 5_000

export class PeriodicTasks {
  readonly #options: PeriodicTasksOptions
  readonly #lastSuccess: LabelledGauge<'task'>
  readonly #tasks = new Map<string, RunningTask>()

  constructor(options: PeriodicTasksOptions) {
    this.#options = options
    this.#lastSuccess = lastSuccessGauge(options.registry)
  }

  start(task: PeriodicTaskOptions): PeriodicTask {
    if (this.#tasks.has(task.name)) throw new Error(`periodic task ${task.name} was started twice`)
    const started = new RunningTask(task, {
      log: this.#options.log,
      onSuccess: () =>
        this.#lastSuccess.set({ task: task.name }, this.#options.clock.nowMs() / 1000),
      onFatal: this.#options.onFatal ?? throwUncaught,
    })
    this.#tasks.set(task.name, started)
    this.#lastSuccess.set({ task: task.name }, 0)
    started.begin()
    return started
  }

  /** Stops all tasks. Resolves when their runs have ended, or after `drainMsMax`. */
  async stop(): Promise<void> {
    const { log, drainMsMax = drainMsMaxDefault } = this.#options
    const unfinished = new Set(this.#tasks.keys())
    const ended = [...this.#tasks].map(([name, task]) =>
      task.stop().then(() => unfinished.delete(name)),
    )
    let deadline: NodeJS.Timeout | undefined
    const timeUp = new Promise<void>((resolve) => {
      deadline = setTimeout(resolve, drainMsMax)
    })
    await Promise.race([Promise.all(ended), timeUp])
    clearTimeout(deadline)
    if (unfinished.size === 0) return
    log.warn(
      { code: 'periodic_drain_cut', tasks: [...unfinished] },
      `Periodic tasks did not end within ${formatInterval(drainMsMax)} and are abandoned.`,
    )
  }
}

/**
 * Registers the metric of the last success once per registry. Cron jobs report to the same metric.
 */
export function lastSuccessGauge(registry: Registry): LabelledGauge<'task'> {
  return sharedGauge(registry, commonMetrics.periodicLastSuccess)
}

/** For log lines: 500 → `0.5 s`, 5000 → `5 s`, 900000 → `15 min`, 3600000 → `1 h`. */
export function formatInterval(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`
  if (ms % 60_000 === 0) return `${ms / 60_000} min`
  return `${ms / 1_000} s`
}

interface RunningTaskContext {
  readonly log: Logger
  readonly onSuccess: () => void
  readonly onFatal: (error: unknown) => void
}

class RunningTask implements PeriodicTask {
  readonly #task: PeriodicTaskOptions
  readonly #ctx: RunningTaskContext
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #following: Promise<void> | undefined

  constructor(task: PeriodicTaskOptions, ctx: RunningTaskContext) {
    this.#task = task
    this.#ctx = ctx
  }

  begin(): void {
    if (this.#task.first === 'now') void this.run()
    else this.#schedule()
  }

  run(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#following ??= this.#running.then(() => {
      this.#following = undefined
      return this.#start()
    })
    return this.#following
  }

  #start(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve()
    clearTimeout(this.#timer)
    this.#running = this.#attempt().finally(() => {
      this.#running = undefined
      this.#schedule()
    })
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#running
  }

  #schedule(): void {
    if (this.#stopping.signal.aborted) return
    this.#timer = setTimeout(() => void this.run(), this.#task.intervalMs)
    // Maintenance alone must not keep the process running.
    this.#timer.unref()
  }

  /** Never rejects. */
  async #attempt(): Promise<void> {
    const { run, isFatal } = this.#task
    const { signal } = this.#stopping
    try {
      await run(signal)
      this.#ctx.onSuccess()
    } catch (error) {
      if (isFatal?.(error) === true) {
        this.#stopping.abort()
        this.#ctx.onFatal(error)
      } else this.#logFailure(error)
    }
  }

  #logFailure(error: unknown): void {
    const { name, intervalMs, failure } = this.#task
    const follows = this.#stopping.signal.aborted
      ? 'the process is ending'
      : `retrying in ${formatInterval(intervalMs)}`
    this.#ctx.log[failure.level ?? 'warn'](
      { code: failure.code, task: name, err: error },
      `${failure.text}; ${follows}.`,
    )
  }
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
