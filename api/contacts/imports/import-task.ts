/**
 * The periodic task that runs contact imports, one at a time in this process. Leases let several
 * processes share the work: an import is continued by another one when its lease has expired.
 */
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import type { ApiContext } from '../../context.ts'
import { claimImport } from './contact-import-store.ts'
import { runImport } from './run-import.ts'

/** Interval of the check for imports of processes that died. An upload is started at once. */
const intervalMs = 15_000

type ImportContext = Pick<ApiContext, 'pg' | 'clock' | 'log'>

export function importTask(ctx: ImportContext): PeriodicTaskOptions {
  return {
    name: 'contact_imports',
    intervalMs,
    run: (signal) => runWaitingImports(ctx, signal),
    failure: { code: 'import_waits', text: 'Claiming or running contact imports failed' },
  }
}

/** Ends after the current batch when the signal is aborted. */
async function runWaitingImports(ctx: ImportContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claimImport(ctx.pg)
    if (claimed === undefined) return
    await runImport(ctx, claimed, () => signal.aborted)
  }
}
