/** When the mailer is ready: while it can send the emails that wait. */
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { Outages } from '#platform/readiness/outages.ts'
import { PostgresProbe } from '#platform/readiness/postgres-probe.ts'
import { Readiness } from '#platform/readiness/readiness.ts'
import type { MailProcess } from './mail-process.ts'

export interface MailReadinessOptions {
  readonly env: { readonly POSTGRES_URL: string }
  readonly outages: Outages
  readonly log: Logger
}

export function mailReadiness(
  mail: Pick<MailProcess, 'isListening' | 'findSmtpFault'>,
  { env, outages, log }: MailReadinessOptions,
): { readonly readiness: Readiness; readonly postgres: PostgresProbe } {
  const postgres = new PostgresProbe({
    url: env.POSTGRES_URL,
    applicationName: 'sluice-mailer-probe',
  })
  const readiness = new Readiness({
    clock: systemClock,
    log,
    outages,
    dependencies: [
      {
        name: 'postgres',
        title: 'Postgres',
        effect: 'Emails wait until it is back.',
        probe: async () => {
          await postgres.probe()
          return mail.isListening
            ? undefined
            : 'The Postgres connection for notifications is being opened again.'
        },
      },
      {
        name: 'smtp',
        title: 'The mail server',
        effect: 'Emails wait until it is back.',
        probe: () => mail.findSmtpFault(),
      },
    ],
  })
  return { readiness, postgres }
}
