/** All feedback of a project as one file, read page by page, so that a million rows need no more memory than a thousand. */
import type { FeedbackItem } from '#schemas/rest/feedback.ts'
import { csvLine } from '../http/table-file.ts'
import type { Database } from '../io/database.ts'
import { readFeedback, type StoredFeedback } from '../io/feedback-store.ts'
import { feedbackItem } from './feedback-view.ts'

const rowsPerRead = 1_000

export type ExportFormat = 'csv' | 'json'

const columns = [
  ...['id', 'created_at', 'updated_at', 'type', 'status', 'message', 'source', 'archived', 'path'],
  ...['version', 'environment', 'component', 'event_id', 'issue_id', 'person_name', 'person_email'],
  'enduser_id',
] as const satisfies readonly (keyof FeedbackItem)[]

export async function* exportFeedback(
  pg: Database,
  dsnId: number,
  format: ExportFormat,
): AsyncGenerator<string> {
  let isFirst = true
  // Excel takes a file for UTF-8 only when it begins so.
  yield format === 'csv' ? `\uFEFF${columns.join(',')}\r\n` : '['
  let after: StoredFeedback | undefined
  for (;;) {
    const rows = await readFeedback(pg, { dsnId, after, limit: rowsPerRead })
    const items = rows.map(feedbackItem)
    if (format === 'csv') yield items.map(lineOf).join('')
    else if (items.length > 0) {
      yield `${isFirst ? '\n' : ',\n'}${items.map((item) => JSON.stringify(item)).join(',\n')}`
    }
    isFirst = false
    after = rows.at(-1)
    if (rows.length < rowsPerRead) break
  }
  if (format === 'json') yield '\n]\n'
}

function lineOf(item: FeedbackItem): string {
  return csvLine(columns.map((name) => item[name]))
}
