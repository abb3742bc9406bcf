/**
 * Works through one claimed import: a batch of the file is one transaction with its count, so that after a crash another process goes
 * on behind the last batch that counts, and no line is done twice.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import { csvErrorText } from '../../files/csv-parser.ts'
import { blockedDomainsMax } from '../blocked-domains/blocked-domain-routes.ts'
import { listBlockedDomains } from '../blocked-domains/blocked-domain-store.ts'
import { countAnew } from './contact-bulk-store.ts'
import {
  finishImport,
  noteBatch,
  readImportFile,
  type StoredImport,
} from './contact-import-store.ts'
import { readRows } from './file/read-rows.ts'
import { shownText } from './file/shown-text.ts'
import { importBatch, tryBatch } from './import-batch.ts'

const reasonCharactersMax = 400

type ImportContext = Pick<ApiContext, 'pg' | 'clock' | 'log'>

/** The tables have grown several times over since they were counted. */
export const countAnewAfter: ReadonlySet<number> = new Set([4, 16, 64, 256, 1_024])

/** Somebody else has it, it was cancelled, or this process ends and leaves the rest to another. */
class NoLongerOurs extends Error {}

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
    if (error instanceof NoLongerOurs) return
    // A store that is away comes back: the lease runs out, and somebody goes on.
    if (error instanceof CodedError && error.code === 'unavailable') throw error
    const reason = csvError(error)
    if (reason === undefined) {
      ctx.log.error(
        { code: 'import_failed', err: error, importId: claimed.id },
        'An import failed.',
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
  const entries = await listBlockedDomains(ctx.pg, { organizationId, rowsMax: blockedDomainsMax })
  const blocked = new Set(entries.map(({ domain }) => domain))
  const place = { organizationId, newsletterId, plan, blocked, now }
  const write = dryRun ? tryBatch : importBatch
  let batches = 0
  for await (const batch of readRows(readImportFile(ctx.pg, id), plan, { ...claimed, now })) {
    if (stopped()) throw new NoLongerOurs()
    await ctx.pg.transaction(async (pg) => {
      const counts = await write(pg, place, batch)
      const { rowsDone, bytesDone } = batch
      if (!(await noteBatch(pg, { id, attempt }, { ...counts, rowsDone, bytesDone }))) {
        throw new NoLongerOurs()
      }
    })
    batches += 1
    if (!dryRun && countAnewAfter.has(batches)) await countAnew(ctx.pg)
  }
}

/** What the parser says of a file that is no CSV names the line. */
export function csvError(error: unknown): string | undefined {
  const text = csvErrorText(error)
  return text && `The file cannot be read: ${shownText(text, reasonCharactersMax)}`
}
