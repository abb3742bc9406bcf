/**
 * Whether this process does its job now, and which of its dependencies are available. Every
 * dependency is probed in the background, each on its own and with a time limit, so that the health
 * check only reads memory and answers at once even if a store hangs. A change is logged once.
 *
 *   available ──a probe fails or takes too long──▶ away ──a probe succeeds──▶ available
 */
import type { Registry } from 'prom-client'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import { counter, gauge } from '../metrics/create-metric.ts'
import { outageReason } from './outage-reason.ts'
import type { Outages } from './outages.ts'
import { within } from './within.ts'

export interface Dependency {
  /** Key of the reply and label of the metric. */
  readonly name: string
  /** For sentences, such as "Postgres". */
  readonly title: string
  /** What follows while it is away, one sentence of the log line. */
  readonly effect: string
  /**
   * Returns undefined, or why the dependency cannot be used, in one sentence without addresses: the
   * reply may be public. A rejection counts as away too.
   */
  readonly probe: () => Promise<string | undefined> | string | undefined
  /** Its loss may be a consequence of another one, and is then logged at debug level. */
  readonly isDerived?: boolean
}

export interface ReadinessOptions {
  readonly dependencies: readonly Dependency[]
  /** Default: when every dependency is available. */
  readonly isReady?: (isAvailable: (name: string) => boolean) => boolean
  readonly outages: Outages
  readonly clock: Clock
  readonly log: Logger
  readonly intervalMs?: number
  readonly limitMs?: number
}

export interface DependencyReport {
  readonly ok: boolean
  /** ISO time of the last change of `ok`; at first, of the first probe. */
  readonly since: string
  readonly reason?: string
}

export interface ReadinessReport {
  readonly status: 'ready' | 'not ready'
  readonly dependencies: Readonly<Record<string, DependencyReport>>
}

const intervalMsDefault = 1_000
const limitMsDefault = 2_000

export class Readiness {
  readonly #options: ReadinessOptions
  readonly #watched: readonly WatchedDependency[]
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#watched = options.dependencies.map((each) => new WatchedDependency(each, options))
  }

  get isReady(): boolean {
    const isAvailable = (name: string) =>
      this.#watched.some((each) => each.name === name && each.reason === undefined)
    return (this.#options.isReady ?? ((is) => this.#watched.every(({ name }) => is(name))))(
      isAvailable,
    )
  }

  get report(): ReadinessReport {
    const dependencies = Object.fromEntries(this.#watched.map((each) => [each.name, each.report]))
    return { status: this.isReady ? 'ready' : 'not ready', dependencies }
  }

  /** Resolves when every dependency was probed once. */
  async start(): Promise<void> {
    this.#options.outages.holdUntil(() => this.probeAgain())
    await Promise.all(this.#watched.map((each) => each.probe()))
    this.#schedule()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#options.outages.stopHolding()
  }

  /** Resolves when a probe of every dependency that began after this call has ended. */
  async probeAgain(): Promise<void> {
    if (this.#isStopped) return
    await Promise.all(this.#watched.map((each) => each.probeAgain()))
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      // A probe that takes its full time limit must not delay those of other dependencies.
      for (const each of this.#watched) void each.probe()
      this.#schedule()
    }, this.#options.intervalMs ?? intervalMsDefault)
    this.#timer.unref()
  }

  /** Registers the metrics. */
  register(registry: Registry): void {
    gauge(registry, commonMetrics.ready, (metric) => metric.set(this.isReady ? 1 : 0))
    gauge(registry, commonMetrics.dependencyUp, (metric) => {
      for (const { name, reason } of this.#watched) {
        metric.set({ dependency: name }, reason === undefined ? 1 : 0)
      }
    })
    counter(registry, commonMetrics.outageLogLines, (metric) => {
      metric.inc(this.#options.outages.demotedCount)
    })
  }
}

class WatchedDependency {
  readonly name: string
  readonly #dependency: Dependency
  readonly #options: ReadinessOptions
  #call: Promise<string | undefined> | undefined
  #probing: Promise<void> | undefined
  #again: Promise<void> | undefined
  #sinceMs: number
  #changedAtMs: number
  #isLossLogged = false
  /** Why it is away; undefined while it is available. */
  reason: string | undefined

  constructor(dependency: Dependency, options: ReadinessOptions) {
    this.name = dependency.name
    this.#dependency = dependency
    this.#options = options
    this.#sinceMs = options.clock.nowMs()
    this.#changedAtMs = options.clock.monotonicMs()
  }

  get report(): DependencyReport {
    const since = new Date(this.#sinceMs).toISOString()
    const { reason } = this
    return reason === undefined ? { ok: true, since } : { ok: false, since, reason }
  }

  /** Joins the probe in progress, if there is one. Never rejects. */
  probe(): Promise<void> {
    this.#probing ??= this.#probeOnce().finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  probeAgain(): Promise<void> {
    if (this.#probing === undefined) return this.probe()
    this.#again ??= this.#probing.then(() => {
      this.#again = undefined
      return this.probe()
    })
    return this.#again
  }

  async #probeOnce(): Promise<void> {
    const { title, probe } = this.#dependency
    const limitMs = this.#options.limitMs ?? limitMsDefault
    // A call that hangs is awaited by the next probes, so that no more than one is under way.
    this.#call ??= Promise.resolve()
      .then(probe)
      .finally(() => {
        this.#call = undefined
      })
    try {
      const reason = await within(limitMs, title, this.#call)
      this.#note(reason, undefined)
    } catch (error) {
      this.#note(outageReason(title, error, limitMs), error)
    }
  }

  #note(reason: string | undefined, error: unknown): void {
    const { clock } = this.#options
    const wasAvailable = this.reason === undefined
    this.reason = reason
    if (wasAvailable === (reason === undefined)) return
    const nowMs = clock.monotonicMs()
    const forMs = nowMs - this.#changedAtMs
    this.#changedAtMs = nowMs
    this.#sinceMs = clock.nowMs()
    if (reason === undefined) this.#logReturn(forMs)
    else this.#logLoss(reason, error)
  }

  #logLoss(reason: string, error: unknown): void {
    const { log, outages } = this.#options
    const { name, effect, isDerived = false } = this.#dependency
    this.#isLossLogged = !(isDerived && outages.isRecent)
    if (!isDerived) outages.begin(name)
    const detail = error instanceof Error ? error.message : undefined
    log[this.#isLossLogged ? 'warn' : 'debug'](
      { code: 'dependency_away', dependency: name, reason, detail },
      `${reason} ${effect}`,
    )
  }

  #logReturn(awayMs: number): void {
    const { log, outages } = this.#options
    const { name, title } = this.#dependency
    outages.end(name)
    const awaySeconds = Math.round(awayMs / 100) / 10
    log[this.#isLossLogged ? 'info' : 'debug'](
      { code: 'dependency_back', dependency: name, awaySeconds },
      `${title} is back after ${awaySeconds} s.`,
    )
  }
}
