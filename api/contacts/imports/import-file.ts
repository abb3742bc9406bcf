/** A file on this machine, imported at once: for the command line, where a person waits. Run again, it changes nothing. */
import type { ImportPlan, ImportProblem } from '#schemas/rest/email/contact-import.ts'
import { problemsKeptMax } from '#schemas/rest/email/contact-import.ts'
import type { Postgres } from '../../database.ts'
import { blockedDomainsMax } from '../blocked-domains/blocked-domain-routes.ts'
import { listBlockedDomains } from '../blocked-domains/blocked-domain-store.ts'
import { countAnew } from './contact-bulk-store.ts'
import { readRows } from './file/read-rows.ts'
import { importBatch, tryBatch } from './import-batch.ts'
import { countAnewAfter, csvError } from './run-import.ts'

export interface FileImport {
  readonly organizationId: string
  readonly newsletterId: string
  readonly plan: ImportPlan
  readonly dryRun: boolean
  readonly now: Date
  readonly progress: (done: { rows: number; bytes: number }) => void
}

export interface FileReport {
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly refused: number
  readonly skipped: number
  readonly suppressed: number
  /** The first of the refused and skipped. */
  readonly problems: readonly ImportProblem[]
  /** The first parts of rows that were left out. */
  readonly warnings: readonly ImportProblem[]
  /** Why the rest of the file was not read. */
  readonly broken: string | undefined
}

export async function importFile(
  pg: Postgres,
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  given: FileImport,
): Promise<FileReport> {
  const { organizationId } = given
  const entries = await listBlockedDomains(pg, { organizationId, rowsMax: blockedDomainsMax })
  const place = { ...given, blocked: new Set(entries.map(({ domain }) => domain)) }
  const write = given.dryRun ? tryBatch : importBatch
  const sums = {
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
    for await (const batch of readRows(file, given.plan, { rowsDone: 0, now: given.now })) {
      const counts = await pg.transaction((client) => write(client, place, batch))
      sums.rows = batch.rowsDone
      sums.created += counts.created
      sums.updated += counts.updated
      sums.unchanged += counts.unchanged
      sums.refused += counts.refused
      sums.skipped += counts.skipped
      sums.suppressed += counts.suppressed
      problems.push(...counts.problems.slice(0, problemsKeptMax - problems.length))
      warnings.push(...counts.warnings.slice(0, problemsKeptMax - warnings.length))
      given.progress({ rows: batch.rowsDone, bytes: batch.bytesDone })
      batches += 1
      if (!given.dryRun && countAnewAfter.has(batches)) await countAnew(pg)
    }
  } catch (error) {
    broken = csvError(error)
    if (broken === undefined) throw error
  }
  return { ...sums, problems, warnings, broken }
}
