import { v5 as uuidv5 } from 'uuid'
import type { FeedbackImportReport } from '#schemas/rest/portal/feedback.ts'
import type { Database } from '../../database.ts'
import { type FileFormat, readRows } from '../../files/table-file.ts'
import { addFeedback, type NewFeedbackRow } from '../feedback-writes.ts'
import { isIgnoredColumn, type ReadRow, type RowOfFile, readRow } from './read-row.ts'

const importRowsMax = 20_000
const rowsPerStatement = 500

export interface FeedbackToLoad {
  readonly project: { readonly id: string; readonly dsnId: number }
  readonly text: string
  readonly format: FileFormat
  readonly now: Date
  readonly dryRun: boolean
}

/**
 * Stores the rows of a file in the transaction of the caller. A dry run stores them too and rolls
 * back to a savepoint, so that its report is exact. Loading a file again is idempotent: a row keeps
 * its id, and a row without one gets an id derived from its content.
 */
export async function loadFeedback(
  pg: Database,
  { project, text, format, now, dryRun }: FeedbackToLoad,
): Promise<FeedbackImportReport> {
  const mistakes: FeedbackImportReport['mistakes'] = []
  const notes: FeedbackImportReport['notes'] = []
  const ignored = new Set<string>()
  const report = { rows: 0, added: 0, already_there: 0, refused: 0, mistakes, notes }
  const withId = rowIds(project.id)
  if (dryRun) await pg.query('savepoint dry_run')
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
      if (isIgnoredColumn(name)) ignored.add(name)
    const read = withId(readRow(raw, now), report.rows)
    if (read.kind === 'error') {
      report.refused += 1
      mistakes.push({ row: report.rows, field: read.field, rule: read.rule })
      continue
    }
    for (const note of read.notes) notes.push({ row: report.rows, ...note })
    waiting.push({ ...read.row, id: read.id })
    if (waiting.length === rowsPerStatement) await store()
  }
  await store()
  if (dryRun) await pg.query('rollback to savepoint dry_run')
  return { ...report, ignored_columns: [...ignored], dry_run: dryRun }
}

type Refused = Extract<ReadRow, { kind: 'error' }>

/**
 * @param projectId namespace of derived ids, so that the same row has another id in another
 * project.
 */
function rowIds(projectId: string) {
  const rowOf = new Map<string, number>()
  const times = new Map<string, number>()
  return (read: ReadRow, row: number): (RowOfFile & { id: string }) | Refused => {
    if (read.kind === 'error') return read
    const id = read.id ?? idMadeOf(read.said)
    const other = rowOf.get(id)
    if (other !== undefined) {
      return { kind: 'error', field: 'id', rule: `must be unique; row ${other} has the same id` }
    }
    rowOf.set(id, row)
    return { ...read, id }
  }

  /** Identical rows get different ids. */
  function idMadeOf(said: string): string {
    const time = (times.get(said) ?? 0) + 1
    times.set(said, time)
    return uuidv5(time === 1 ? said : `${said}${time}`, projectId)
  }
}
