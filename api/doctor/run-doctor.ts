/** `admin doctor`: runs all checks. The exit code is 1 if there is a problem. */

import { UsageError } from '../cli/usage-error.ts'
import { describeFindings } from './describe-findings.ts'
import { DoctorSettings } from './doctor-settings.ts'
import type { Finding, Status } from './finding.ts'
import { openContext } from './open-context.ts'
import { runChecks } from './run-checks.ts'

export interface DoctorResult {
  readonly code: 0 | 1
  readonly text: string
  readonly json: {
    readonly status: 'ok' | 'warning' | 'problem'
    readonly counts: Readonly<Record<Status, number>>
    readonly checks: readonly Finding[]
  }
}

const stores = ['POSTGRES_URL', 'CLICKHOUSE_URL', 'NATS_URL', 'SMTP_URL'] as const

export async function runDoctor(env: NodeJS.ProcessEnv): Promise<DoctorResult> {
  const settings = await DoctorSettings.read(env)
  if (!stores.some((name) => settings.isSet(name))) {
    throw new UsageError(
      'No running Sluice was found: start it (npm start), set SLUICE_DATA_DIR to its data folder, or set the variables of its processes (POSTGRES_URL and others).',
    )
  }
  const { ctx, close } = openContext(settings)
  try {
    return resultOf(await runChecks(ctx))
  } finally {
    await close()
  }
}

export function resultOf(checks: readonly Finding[]): DoctorResult {
  const count = (status: Status) => checks.filter((one) => one.status === status).length
  const counts = {
    problem: count('problem'),
    warning: count('warning'),
    ok: count('ok'),
    skipped: count('skipped'),
  }
  const status = counts.problem > 0 ? 'problem' : counts.warning > 0 ? 'warning' : 'ok'
  return {
    code: status === 'problem' ? 1 : 0,
    text: describeFindings(checks, counts),
    json: { status, counts, checks },
  }
}
