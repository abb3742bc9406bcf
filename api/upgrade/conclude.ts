/** The last sentence of the upgrade check: ready, or what to do first. */
import type { Status } from '../doctor/finding.ts'
import type { PendingMigration } from './pending-migrations.ts'

export interface Conclusion {
  readonly isReady: boolean
  readonly text: string
}

export interface UpgradeFacts {
  /** Whether a database was migrated before. */
  readonly isInstalled: boolean
  readonly counts: Readonly<Record<Status, number>>
  readonly pending: readonly Pick<PendingMigration, 'name' | 'kind'>[]
  /** Kinds of processes that run. */
  readonly running: readonly string[]
}

const restart = 'restart mailer, workers and API with this version, and ingest last'

export function conclude({ isInstalled, counts, pending, running }: UpgradeFacts): Conclusion {
  if (counts.problem > 0) {
    const what = counts.problem === 1 ? 'the problem' : `the ${counts.problem} problems`
    return { isReady: false, text: `Not ready: repair ${what} above, then check again.` }
  }
  if (!isInstalled) {
    return { isReady: true, text: 'Ready: run `npm run migrate`, then start the processes.' }
  }
  const contractions = pending.filter(({ kind }) => kind === 'contract').map(({ name }) => name)
  if (contractions.length > 0) {
    const text = `${contractions.join(', ')} ${contractions.length === 1 ? 'breaks' : 'break'} processes of the previous version`
    return running.length > 0
      ? {
          isReady: false,
          text: `Not ready: ${text}. Make a backup, stop every process (${running.join(', ')}), then check again.`,
        }
      : {
          isReady: true,
          text: `Ready: ${text}, and none is running. Run \`npm run migrate\`, then start every process with this version.`,
        }
  }
  if (pending.length === 0) {
    return { isReady: true, text: `Ready: no migration is pending; ${restart}.` }
  }
  return { isReady: true, text: `Ready: run \`npm run migrate\`, then ${restart}.` }
}
