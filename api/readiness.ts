/**
 * When an API process is ready: while Postgres is available. Without ClickHouse it still serves
 * email, portals and administration, and a load balancer that removed every API process would take
 * these away too; routes that read events answer 503.
 */
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { ClickHouseProbe } from '#platform/readiness/clickhouse-probe.ts'
import type { Outages } from '#platform/readiness/outages.ts'
import { PostgresProbe } from '#platform/readiness/postgres-probe.ts'
import { Readiness } from '#platform/readiness/readiness.ts'

export interface ApiReadinessOptions {
  readonly env: { readonly POSTGRES_URL: string; readonly CLICKHOUSE_URL: string }
  readonly outages: Outages
  readonly log: Logger
}

export interface ApiReadiness {
  readonly readiness: Readiness
  closeProbes(): Promise<void>
}

export function apiReadiness({ env, outages, log }: ApiReadinessOptions): ApiReadiness {
  const applicationName = 'sluice-api-probe'
  const postgres = new PostgresProbe({ url: env.POSTGRES_URL, applicationName })
  const clickhouse = new ClickHouseProbe(env.CLICKHOUSE_URL, applicationName)
  const readiness = new Readiness({
    clock: systemClock,
    log,
    outages,
    isReady: (isAvailable) => isAvailable('postgres'),
    dependencies: [
      {
        name: 'postgres',
        title: 'Postgres',
        effect: 'Requests that need it are answered 503.',
        probe: postgres.probe,
      },
      {
        name: 'clickhouse',
        title: 'ClickHouse',
        effect: 'Requests for events, outcomes and release health are answered 503.',
        probe: clickhouse.probe,
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
