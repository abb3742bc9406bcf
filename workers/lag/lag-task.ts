import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import { type LagStoreOptions, lagSource } from './lag-store.ts'
import { type LagGauges, type LagOwner, PartitionLags } from './partition-lags.ts'

const intervalMs = 5_000

export function lagTask(
  options: LagStoreOptions & { readonly owner: LagOwner; readonly gauges: LagGauges },
): PeriodicTaskOptions {
  const { owner, gauges, clock } = options
  const { lagSeconds, lagEvents, secondsSinceCommit } = gauges
  const lags = new PartitionLags({
    source: lagSource(options),
    owner,
    gauges: { lagSeconds, lagEvents, secondsSinceCommit },
    clock,
  })
  return {
    name: 'partition_lag',
    intervalMs,
    run: () => lags.run(),
    // An outage of the broker has its own log lines.
    failure: {
      code: 'lag_unknown',
      text: 'Reading the lag from the broker failed',
      level: 'debug',
    },
  }
}
