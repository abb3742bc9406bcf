/**
 * Metrics about the installation, which one worker process reports: the owner of the first partition. When
 * it loses the partition, its samples are removed.
 */
import type { Registry } from 'prom-client'
import type { Clock } from '#platform/clock.ts'
import { gauge } from '#platform/metrics/create-metric.ts'
import type { LabelledGauge } from '#platform/metrics/metric-types.ts'
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import type { Pool } from '#platform/postgres.ts'
import { upkeepMetrics } from '#schemas/metrics/upkeep-metrics.ts'
import { countJobs, nearestToQuota } from './upkeep-store.ts'

/** A table of all projects is read. */
const intervalMs = 15_000

export interface UpkeepOptions {
  readonly registry: Registry
  readonly pg: Pool
  readonly clock: Clock
  /** Whether this process owns the first partition. */
  readonly isOwner: () => boolean
}

export class UpkeepMetrics {
  readonly #options: UpkeepOptions
  readonly #quota: LabelledGauge<'project'>
  readonly #waiting: LabelledGauge<'task'>
  readonly #failed: LabelledGauge<'task'>

  constructor(options: UpkeepOptions) {
    const { registry } = options
    this.#options = options
    this.#quota = gauge(registry, upkeepMetrics.quotaUsedRatio)
    this.#waiting = gauge(registry, upkeepMetrics.jobsWaiting)
    this.#failed = gauge(registry, upkeepMetrics.jobsFailed)
  }

  get task(): PeriodicTaskOptions {
    return {
      name: 'upkeep_metrics',
      intervalMs,
      run: () => this.run(),
      failure: {
        code: 'upkeep_unknown',
        text: 'Reading quotas and jobs for the metrics failed',
        level: 'debug',
      },
    }
  }

  /** If Postgres does not respond, the last samples remain. */
  async run(): Promise<void> {
    const { pg, clock, isOwner } = this.#options
    if (!isOwner()) return this.#reset()
    const month = new Date(clock.nowMs()).toISOString().slice(0, 7)
    const quotas = await nearestToQuota(pg, `${month}-01`)
    const jobs = await countJobs(pg)
    // In one turn, so that no scrape sees a part, and projects that are no longer near are removed.
    this.#reset()
    for (const { project, ratio } of quotas) this.#quota.set({ project }, ratio)
    for (const { task, waiting, failed } of jobs) {
      this.#waiting.set({ task }, waiting)
      this.#failed.set({ task }, failed)
    }
  }

  #reset(): void {
    for (const each of [this.#quota, this.#waiting, this.#failed]) each.reset()
  }
}
