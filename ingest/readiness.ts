/**
 * When ingest is ready: while it can accept events. Its write-ahead log is enough for that. Without
 * NATS and Postgres it accepts the events of the keys that it knows, so a load balancer must not
 * remove it then: every ingest process would be removed at once.
 */
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import { NatsProbe } from '#platform/readiness/nats-probe.ts'
import type { Outages } from '#platform/readiness/outages.ts'
import { PostgresProbe } from '#platform/readiness/postgres-probe.ts'
import { Readiness } from '#platform/readiness/readiness.ts'
import type { Intake } from './open-intake.ts'

export interface IngestReadinessOptions {
  readonly env: { readonly POSTGRES_URL: string }
  readonly outages: Outages
  readonly log: Logger
}

export function ingestReadiness(
  { ctx, nats, metrics }: Pick<Intake, 'ctx' | 'nats' | 'metrics'>,
  { env, outages, log }: IngestReadinessOptions,
): { readonly readiness: Readiness; readonly postgres: PostgresProbe } {
  const { wal, load, courier } = ctx
  const postgres = new PostgresProbe({
    url: env.POSTGRES_URL,
    applicationName: 'sluice-ingest-probe',
  })
  const natsProbe = new NatsProbe(nats)
  const readiness = new Readiness({
    clock: systemClock,
    log,
    outages,
    isReady: (isAvailable) => acceptsEvents(isAvailable, { load, courier }),
    dependencies: [
      {
        name: 'log',
        title: 'The write-ahead log',
        effect: 'Events are accepted only while the broker acknowledges them.',
        probe: () =>
          wal === undefined ? 'There is no write-ahead log: see log_missing.' : wal.findFault(),
      },
      {
        name: 'nats',
        title: 'NATS',
        effect: 'Events are kept in the write-ahead log until it is back.',
        probe: natsProbe.probe,
      },
      {
        name: 'postgres',
        title: 'Postgres',
        effect:
          'Events of known keys are accepted and charged to the allowance for outages; other keys are answered 503.',
        probe: postgres.probe,
      },
    ],
  })
  readiness.register(metrics.registry)
  return { readiness, postgres }
}

/** Frames go to the log, or, while it cannot be written, to the broker alone. */
export function acceptsEvents(
  isAvailable: (dependency: 'log' | 'nats') => boolean,
  {
    load,
    courier,
  }: { readonly load: { isDraining: boolean }; readonly courier: { readonly isAway: boolean } },
): boolean {
  if (load.isDraining) return false
  return isAvailable('log') || (isAvailable('nats') && !courier.isAway)
}
