/**
 * Imports a file of this machine while the caller waits, for the command line. Importing the same
 * file again changes nothing.
 */
import type { ImportPlan, ImportProblem } from '#schemas/rest/email/contact-import.ts'
import { problemsKeptMax } from '#schemas/rest/email/contact-import.ts'
import type { Actor } from '../../audit/audit-store.ts'
import type { ApiContext } from '../../context.ts'
import { requireNewsletter } from '../../newsletters/require-newsletter.ts'
import { findAllBlocked } from '../blocked-domains/blocked-domain-store.ts'
import { analyzeContactTables } from './contact-bulk-store.ts'
import { readRows } from './file/read-rows.ts'
import { auditImportStart } from './import-audit.ts'
import { importBatch, tryBatch } from './import-batch.ts'
import type { ImportTarget } from './plan-batch.ts'
import {
  type ImportedFile,
  type ImportOptions,
  type PlannedImport,
  planImport,
} from './plan-import.ts'
import { analyzeAfterBatches, csvError } from './run-import.ts'
import { SeenKeys } from './seen-keys.ts'

export interface LocalFileImport {
  readonly file: ImportedFile
  readonly options: ImportOptions
  readonly onPlanned: (planned: PlannedImport) => void
  readonly onProgress: (done: { rows: number; bytes: number }) => void
}

export interface LocalFileReport {
  readonly plan: ImportPlan
  readonly counts: ImportCounts
  /** The first rows that were refused or skipped. */
  readonly problems: readonly ImportProblem[]
  /** The first parts of rows that were left out. */
  readonly warnings: readonly ImportProblem[]
  /** Why the rest of the file was not read; undefined when all of it was. */
  readonly broken: string | undefined
}

interface ImportCounts {
  rows: number
  created: number
  updated: number
  unchanged: number
  refused: number
  skipped: number
  suppressed: number
}

export async function importLocalFile(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  input: LocalFileImport,
): Promise<LocalFileReport> {
  const { organizationId } = actor
  const { file, options } = input
  const { newsletter: slug, dryRun } = options
  const newsletter = await requireNewsletter(ctx, { organizationId, slug })
  const now = new Date(ctx.clock.nowMs())
  const planned = await planImport(file, options, now)
  const { plan } = planned
  input.onPlanned(planned)
  // Before the first batch, so that an import that is interrupted is on record.
  await auditImportStart(ctx.pg, actor, {
    subject: { subjectType: 'newsletter', subjectId: newsletter.id },
    newsletter: slug,
    dryRun,
    format: plan.format,
    file: options.fileName ?? null,
  })
  const blocked = await findAllBlocked(ctx.pg, organizationId)
  const target = { organizationId, newsletterId: newsletter.id, plan, blocked, now }
  return { plan, ...(await importRows(ctx, target, input)) }
}

async function importRows(
  ctx: Pick<ApiContext, 'pg'>,
  target: ImportTarget,
  { file, options: { dryRun }, onProgress }: LocalFileImport,
): Promise<Omit<LocalFileReport, 'plan'>> {
  const { plan, now } = target
  const created = new SeenKeys()
  const counts: ImportCounts = {
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: 0,
    skipped: 0,
    suppressed: 0,
  }
  const problems: ImportProblem[] = []
  const warnings: ImportProblem[] = []
  let batches = 0
  let broken: string | undefined
  try {
    for await (const batch of readRows(file.open(), plan, { rowsDone: 0, now })) {
      const done = await ctx.pg.transaction((client) =>
        dryRun ? tryBatch(client, target, batch, created) : importBatch(client, target, batch),
      )
      counts.rows = batch.rowsDone
      counts.created += done.created
      counts.updated += done.updated
      counts.unchanged += done.unchanged
      counts.refused += done.refused
      counts.skipped += done.skipped
      counts.suppressed += done.suppressed
      problems.push(...done.problems.slice(0, problemsKeptMax - problems.length))
      warnings.push(...done.warnings.slice(0, problemsKeptMax - warnings.length))
      onProgress({ rows: batch.rowsDone, bytes: batch.bytesDone })
      batches += 1
      if (!dryRun && analyzeAfterBatches.has(batches)) await analyzeContactTables(ctx.pg)
    }
  } catch (error) {
    broken = csvError(error)
    if (broken === undefined) throw error
  }
  return { counts, problems, warnings, broken }
}
