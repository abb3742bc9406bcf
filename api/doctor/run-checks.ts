/**
 * Runs all checks at once. Each has a limit on its time, and one that fails or hangs becomes a
 * finding and stops no other.
 */
import { TimeLimitError, within } from '#platform/readiness/within.ts'
import { backupsCheck } from './checks/backups.ts'
import { clickhouseCheck } from './checks/clickhouse.ts'
import { clocksCheck } from './checks/clocks.ts'
import { disksCheck } from './checks/disks.ts'
import { installationCheck } from './checks/installation.ts'
import { locksCheck } from './checks/locks.ts'
import { mailCheck } from './checks/mail.ts'
import { migrationsCheck } from './checks/migrations.ts'
import { natsCheck } from './checks/nats.ts'
import { nodeCheck } from './checks/node.ts'
import { opsPortsCheck } from './checks/ops-ports.ts'
import { pipelineCheck } from './checks/pipeline.ts'
import { postgresCheck } from './checks/postgres.ts'
import { processesCheck } from './checks/processes.ts'
import { publicUrlsCheck } from './checks/public-urls.ts'
import { secretCheck } from './checks/secret.ts'
import { sendingDomainsCheck } from './checks/sending-domains.ts'
import { settingsCheck } from './checks/settings.ts'
import { smtpCheck } from './checks/smtp.ts'
import { streamsCheck } from './checks/streams.ts'
import { tablesCheck } from './checks/tables.ts'
import type { Check, DoctorContext } from './doctor-context.ts'
import { type Finding, of } from './finding.ts'
import { reasonOf } from './reason-of.ts'

export const checkMsMax = 5_000

export const checks: readonly Check[] = [
  nodeCheck,
  settingsCheck,
  secretCheck,
  postgresCheck,
  locksCheck,
  clickhouseCheck,
  tablesCheck,
  migrationsCheck,
  natsCheck,
  streamsCheck,
  installationCheck,
  clocksCheck,
  disksCheck,
  processesCheck,
  opsPortsCheck,
  publicUrlsCheck,
  pipelineCheck,
  smtpCheck,
  mailCheck,
  sendingDomainsCheck,
  backupsCheck,
]

export async function runChecks(
  ctx: DoctorContext,
  { of: list = checks, msMax = checkMsMax }: { of?: readonly Check[]; msMax?: number } = {},
): Promise<Finding[]> {
  const found = await Promise.all(list.map((check) => runCheck(check, ctx, msMax)))
  return found.flat()
}

async function runCheck(
  { group, run }: Check,
  ctx: DoctorContext,
  msMax: number,
): Promise<readonly Finding[]> {
  try {
    // A check may throw before it returns a promise.
    return await within(
      msMax,
      group,
      Promise.resolve().then(() => run(ctx)),
    )
  } catch (error) {
    return [error instanceof TimeLimitError ? late(group, msMax) : failed(group, error)]
  }
}

function late(group: string, msMax: number): Finding {
  return of(group).problem(
    'time',
    `This check had no result within ${msMax / 1000} s.`,
    'Something that it asks hangs: look at the other problems first, then run the doctor again.',
  )
}

function failed(group: string, error: unknown): Finding {
  return of(group).problem(
    'check',
    `This check failed: ${reasonOf(error)}.`,
    'Repair what the sentence names, then run the doctor again.',
  )
}
