import type { FeedbackImportReport } from '#schemas/rest/feedback.ts'
import { type FileFormat, readRows } from '../http/table-file.ts'
import type { Database } from '../io/database.ts'
import { addFeedback, type NewFeedbackRow } from '../io/feedback-writes.ts'
import { importedColumns, readRow } from './read-row.ts'

const importRowsMax = 20_000
const rowsPerStatement = 500

export interface FeedbackImport {
  readonly project: { readonly id: string; readonly dsnId: number }
  readonly text: string
  readonly format: FileFormat
  readonly now: Date
  readonly dryRun: boolean
}

/** In the caller's transaction. A dry run does the same and takes it back, so its numbers are those of the real one. */
export async function importFeedback(
  pg: Database,
  { project, text, format, now, dryRun }: FeedbackImport,
): Promise<FeedbackImportReport> {
  const mistakes: FeedbackImportReport['mistakes'] = []
  const ignored = new Set<string>()
  const report = { rows: 0, added: 0, already_there: 0, refused: 0, mistakes, dry_run: dryRun }
  if (dryRun) await pg.query('savepoint rehearsal')
  let waiting: NewFeedbackRow[] = []
  const store = async () => {
    if (waiting.length === 0) return
    const added = await addFeedback(pg, { dsnId: project.dsnId, rows: waiting, at: now })
    report.added += added
    report.already_there += waiting.length - added
    waiting = []
  }
  for await (const raw of readRows(text, { format, rowsMax: importRowsMax, list: 'feedback' })) {
    report.rows += 1
    for (const name of Object.keys(typeof raw === 'object' && raw !== null ? raw : {}))
      if (!importedColumns.has(name)) ignored.add(name)
    const read = readRow(raw, { project: project.id, now })
    if (read.kind === 'mistake') {
      report.refused += 1
      const { field, rule } = read
      mistakes.push({ row: report.rows, field, rule })
      continue
    }
    waiting.push(read.row)
    if (waiting.length === rowsPerStatement) await store()
  }
  await store()
  if (dryRun) await pg.query('rollback to savepoint rehearsal')
  return { ...report, ignored_columns: [...ignored] }
}
