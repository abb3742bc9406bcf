/**
 * Runs one claimed import. Each batch is one transaction together with its counts, so that after a
 * crash another process continues after the last committed batch and imports no row twice.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import { csvErrorText } from '../../files/csv-parser.ts'
import { findAllBlocked } from '../blocked-domains/blocked-domain-store.ts'
import { analyzeContactTables } from './contact-bulk-store.ts'
import {
  finishImport,
  noteBatch,
  readImportFile,
  type StoredImport,
} from './contact-import-store.ts'
import { readRows } from './file/read-rows.ts'
import { shownText } from './file/shown-text.ts'
import { importBatch, tryBatch } from './import-batch.ts'
import { SeenKeys } from './seen-keys.ts'

const reasonCharactersMax = 400

type ImportContext = Pick<ApiContext, 'pg' | 'clock' | 'log'>

/** Batches after which the tables are several times as large as at their last ANALYZE. */
export const analyzeAfterBatches: ReadonlySet<number> = new Set([4, 16, 64, 256, 1_024])

/** Another process claimed the import, it was cancelled, or this process is stopping. */
class LeaseLost extends Error {}

export async function runImport(
  ctx: ImportContext,
  claimed: StoredImport,
  stopped: () => boolean,
): Promise<void> {
  const now = new Date(ctx.clock.nowMs())
  try {
    await importAll(ctx, claimed, { now, stopped })
    await finishImport(ctx.pg, claimed, {
      state: 'done',
      reason: null,
      now: new Date(ctx.clock.nowMs()),
    })
  } catch (error) {
    if (error instanceof LeaseLost) return
    // The lease expires, and the import continues when Postgres answers again.
    if (error instanceof CodedError && error.code === 'unavailable') throw error
    const reason = csvError(error)
    if (reason === undefined) {
      ctx.log.error(
        { code: 'import_failed', err: error, importId: claimed.id },
        'A contact import failed; its batches before the error stay.',
      )
    }
    const end = { state: 'failed', reason: reason ?? 'Something went wrong on our side.' } as const
    await finishImport(ctx.pg, claimed, { ...end, now: new Date(ctx.clock.nowMs()) })
  }
}

async function importAll(
  ctx: ImportContext,
  claimed: StoredImport,
  { now, stopped }: { now: Date; stopped: () => boolean },
): Promise<void> {
  const { organizationId, newsletterId, plan, id, attempt, dryRun } = claimed
  const blocked = await findAllBlocked(ctx.pg, organizationId)
  const target = { organizationId, newsletterId, plan, blocked, now }
  const created = new SeenKeys()
  let batches = 0
  for await (const batch of readRows(readImportFile(ctx.pg, id), plan, { ...claimed, now })) {
    if (stopped()) throw new LeaseLost()
    await ctx.pg.transaction(async (pg) => {
      const counts = dryRun
        ? await tryBatch(pg, target, batch, created)
        : await importBatch(pg, target, batch)
      const { rowsDone, bytesDone } = batch
      if (!(await noteBatch(pg, { id, attempt }, { ...counts, rowsDone, bytesDone }))) {
        throw new LeaseLost()
      }
    })
    batches += 1
    if (!dryRun && analyzeAfterBatches.has(batches)) await analyzeContactTables(ctx.pg)
  }
}

/** Describes why a file is not CSV, with the line; undefined for every other error. */
export function csvError(error: unknown): string | undefined {
  const text = csvErrorText(error)
  return text && `The file cannot be read: ${shownText(text, reasonCharactersMax)}`
}
