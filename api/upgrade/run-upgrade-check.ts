/**
 * `admin upgrade --check`: run with the new version against the running installation, before
 * `npm run migrate`. It changes nothing. The exit code is 1 if something has to be done first.
 */

import type { Report } from '../cli/report.ts'
import { UsageError } from '../cli/usage-error.ts'
import { backupsCheck } from '../doctor/checks/backups.ts'
import { disksCheck } from '../doctor/checks/disks.ts'
import { installationCheck } from '../doctor/checks/installation.ts'
import { nodeCheck } from '../doctor/checks/node.ts'
import { pipelineCheck } from '../doctor/checks/pipeline.ts'
import { postgresCheck } from '../doctor/checks/postgres.ts'
import { settingsCheck } from '../doctor/checks/settings.ts'
import type { Check, DoctorContext } from '../doctor/doctor-context.ts'
import { DoctorSettings } from '../doctor/doctor-settings.ts'
import { openContext } from '../doctor/open-context.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { resultOf } from '../doctor/run-doctor.ts'
import { countText } from '../operation/text/format-numbers.ts'
import { conclude } from './conclude.ts'
import { layoutChangeCheck } from './layout-change-check.ts'
import { kindsOf, liveProcessesCheck, readLiveProcesses } from './live-processes-check.ts'
import type { PendingMigration } from './pending-migrations.ts'
import { readMigrationsOfStores } from './read-migrations-of-stores.ts'

const explanation = `Upgrade an installation in this order (docs/operations/upgrade.md):
  1. npm run admin -- upgrade --check    with the new version; it changes nothing
  2. npm run admin -- backup create      where this version has the command
  3. npm run migrate                     with the new version; processes keep running
  4. restart mailer, workers and API with the new version, and ingest last
`

/** Databases without it have no installation to compare. */
const installationMigration = '0021-installation.sql'

export async function explainUpgrade(): Promise<Report> {
  const steps = explanation.trimEnd().split('\n').slice(1)
  return { text: explanation, json: { steps: steps.map((step) => step.trim()) }, code: 0 }
}

export async function runUpgradeCheck(env: NodeJS.ProcessEnv): Promise<Report> {
  const settings = await DoctorSettings.read(env)
  if (!settings.isSet('POSTGRES_URL')) {
    throw new UsageError(
      'No running Sluice was found: start it (npm start), set SLUICE_DATA_DIR to its data folder, or set POSTGRES_URL and CLICKHOUSE_URL.',
    )
  }
  const { ctx, close } = openContext(settings)
  try {
    return await checkUpgrade(ctx)
  } finally {
    await close()
  }
}

export async function checkUpgrade(ctx: DoctorContext): Promise<Report> {
  const migrations = readMigrationsOfStores(ctx)
  const processes = readLiveProcesses(ctx)
  // Awaited below; a failure is a finding of its check.
  processes.catch(() => undefined)
  const { isInstalled, isComplete, pending } = await migrations
  const migrationsCheck: Check = {
    group: 'migrations',
    run: async () => (await migrations).findings,
  }
  const live = await processes.catch(() => ({ alive: {}, connected: [], versions: [] }))
  const running = kindsOf(live)
  const installed = [
    ...(pending.some(({ name }) => name === installationMigration)
      ? []
      : [installationCheck, layoutChangeCheck]),
    // Between the stop of a former version and the start of this one, no missing worker is a fault.
    ...(running.length === 0 ? [] : [pipelineCheck]),
    backupsCheck,
    liveProcessesCheck(() => processes),
  ]
  const checks = await runChecks(ctx, {
    of: [
      nodeCheck,
      settingsCheck,
      postgresCheck,
      migrationsCheck,
      disksCheck,
      ...(isInstalled ? installed : []),
    ],
  })
  const { json, text } = resultOf(checks)
  const conclusion = conclude({ isInstalled, counts: json.counts, pending, running })
  return {
    code: conclusion.isReady ? 0 : 1,
    text: `${describePending(pending, isComplete)}\n${text}\n${conclusion.text}\n`,
    json: {
      ready: conclusion.isReady,
      conclusion: conclusion.text,
      pending: pending.map(({ slowRows: _, ...one }) => one),
      processes: live,
      counts: json.counts,
      checks: json.checks,
    },
  }
}

function describePending(pending: readonly PendingMigration[], isComplete: boolean): string {
  if (!isComplete) return 'PENDING MIGRATIONS\n  not known, because a database does not answer\n'
  if (pending.length === 0) return 'PENDING MIGRATIONS\n  none\n'
  const lines = pending.flatMap(({ store, name, kind, tables, slow }) => [
    `  ${store} ${name}: ${kind}${tables.length === 0 ? '' : `; ${tables.map(describeTable).join(', ')}`}`,
    ...slow.map((text) => `    ${text}`),
  ])
  return `PENDING MIGRATIONS\n${lines.join('\n')}\n`
}

function describeTable({ name, rows }: PendingMigration['tables'][number]): string {
  return rows === null ? `${name} (rows unknown)` : `${name} (about ${countText(rows)} rows)`
}
