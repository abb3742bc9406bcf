/** When a worker process is ready: while it can digest, and the cursors of its partitions move. */
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { ClickHouseProbe } from '#platform/readiness/clickhouse-probe.ts'
import { NatsProbe } from '#platform/readiness/nats-probe.ts'
import type { Outages } from '#platform/readiness/outages.ts'
import { PostgresProbe } from '#platform/readiness/postgres-probe.ts'
import { Readiness } from '#platform/readiness/readiness.ts'
import type { WorkerConnections } from './connect.ts'
import type { PartitionOwner } from './ownership/partition-owner.ts'

export interface WorkerReadinessOptions {
  readonly env: { readonly POSTGRES_URL: string; readonly CLICKHOUSE_URL: string }
  readonly outages: Outages
  readonly log: Logger
}

export interface WorkerReadiness {
  readonly readiness: Readiness
  closeProbes(): Promise<void>
}

const effect = 'Events wait in the stream until it is back.'

export function workerReadiness(
  { nats }: Pick<WorkerConnections, 'nats'>,
  owner: Pick<PartitionOwner, 'stuck' | 'refused' | 'ready'>,
  { env, outages, log }: WorkerReadinessOptions,
): WorkerReadiness {
  const applicationName = 'sluice-workers-probe'
  const postgres = new PostgresProbe({ url: env.POSTGRES_URL, applicationName })
  const clickhouse = new ClickHouseProbe(env.CLICKHOUSE_URL, applicationName)
  const natsProbe = new NatsProbe(nats)
  const readiness = new Readiness({
    clock: systemClock,
    log,
    outages,
    dependencies: [
      { name: 'postgres', title: 'Postgres', effect, probe: postgres.probe },
      { name: 'clickhouse', title: 'ClickHouse', effect, probe: clickhouse.probe },
      { name: 'nats', title: 'NATS', effect, probe: natsProbe.probe },
      {
        name: 'partitions',
        title: 'Digesting',
        effect: 'See the errors before this line.',
        isDerived: true,
        probe: () => partitionFault(owner),
      },
    ],
  })
  return {
    readiness,
    closeProbes: async () => {
      postgres.close()
      await clickhouse.close()
    },
  }
}

/** A process that owns no partition, because others own them all, has no fault. */
export function partitionFault(
  owner: Pick<PartitionOwner, 'stuck' | 'refused' | 'ready'>,
): string | undefined {
  const { stuck, refused } = owner
  if (stuck.length > 0) {
    return `The cursor does not move although messages wait: partition ${stuck.join(', ')}.`
  }
  if (refused.length > 0) {
    return `A store refuses every record: partition ${refused.join(', ')}.`
  }
  return owner.ready ? undefined : 'This process has not claimed partitions yet.'
}
