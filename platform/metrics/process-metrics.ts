/** The metrics that every process has: its build, its clock and its storages. */
import type { Registry } from 'prom-client'
import type { MetricProcess } from '#schemas/metrics/catalogue.ts'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import { ClockCheck } from '../clock-check/clock-check.ts'
import type { CorrectedClock } from '../clock-check/corrected-clock.ts'
import type { Installation } from '../installation/installation.ts'
import { packageVersion } from '../installation/package-version.ts'
import type { Logger } from '../logger.ts'
import type { PeriodicTasks } from '../periodic.ts'
import type { Pool } from '../postgres.ts'
import { gauge } from './create-metric.ts'
import { type ReadStorages, StorageMetrics } from './storage-metrics.ts'

export interface ProcessMetricsOptions {
  readonly process: MetricProcess
  readonly installation: Installation
  readonly clock: CorrectedClock
  readonly pool: Pick<Pool, 'query'>
  readonly registry: Registry
  readonly periodic: PeriodicTasks
  readonly storages: readonly ReadStorages[]
  readonly log: Logger
}

/** Compares the clocks once before it resolves, so that the process begins with the right time. */
export async function startProcessMetrics(options: ProcessMetricsOptions): Promise<void> {
  const { process, installation, clock, registry, periodic, storages } = options
  gauge(registry, commonMetrics.buildInfo).set(
    { process, version: packageVersion(), installation: installation.id },
    1,
  )
  gauge(registry, commonMetrics.clockOffsetSeconds, (offset) => offset.set(clock.offsetMs / 1000))
  const storage = new StorageMetrics(registry, clock, storages)
  periodic.start(storage.task)
  await periodic.start(new ClockCheck(options).task).run()
}
