/**
 * Writes all feedback of a project as one file, page by page, so that its length needs no memory.
 */
import { undashed } from '#schemas/ids.ts'
import type { Database } from '../../database.ts'
import { type CsvValue, csvLine, type FileFormat } from '../../files/table-file.ts'
import { readFeedback, type StoredFeedback } from '../feedback-store.ts'

const rowsPerRead = 1_000

/**
 * The columns of a file in order. The import reads all but `issue_id`, which follows from
 * `event_id`.
 */
export const feedbackColumns = [
  'id',
  'created_at',
  'updated_at',
  'type',
  'status',
  'message',
  'source',
  'archived',
  'path',
  'version',
  'environment',
  'component',
  'event_id',
  'issue_id',
  'person_name',
  'person_email',
  'enduser_id',
] as const satisfies readonly (keyof StoredFeedback)[]

export async function* writeFeedbackFile(
  pg: Database,
  dsnId: number,
  format: FileFormat,
): AsyncGenerator<string> {
  let isFirst = true
  // Excel reads a file as UTF-8 only if it starts with a byte order mark.
  yield format === 'csv' ? `\uFEFF${feedbackColumns.join(',')}\r\n` : '['
  let after: StoredFeedback | undefined
  for (;;) {
    const rows = await readFeedback(pg, { dsnId, after, limit: rowsPerRead })
    if (format === 'csv') yield rows.map(lineOf).join('')
    else if (rows.length > 0) yield `${isFirst ? '\n' : ',\n'}${rows.map(objectOf).join(',\n')}`
    isFirst = false
    after = rows.at(-1)
    if (rows.length < rowsPerRead) break
  }
  if (format === 'json') yield '\n]\n'
}

function lineOf(row: StoredFeedback): string {
  return csvLine(feedbackColumns.map((name) => cellOf(row, name)))
}

/** Unknown values are omitted, as in the list. */
function objectOf(row: StoredFeedback): string {
  const known = feedbackColumns.flatMap((name) => {
    const value = cellOf(row, name)
    return value === null ? [] : [[name, value]]
  })
  return JSON.stringify(Object.fromEntries(known))
}

function cellOf(row: StoredFeedback, name: (typeof feedbackColumns)[number]): CsvValue {
  const value = row[name]
  return name === 'event_id' && typeof value === 'string' ? undashed(value) : value
}
