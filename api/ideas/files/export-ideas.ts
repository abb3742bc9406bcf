import type { Database } from '../../database.ts'
import { type CsvValue, csvLine, type FileFormat } from '../../files/table-file.ts'
import { exportColumns, exportStart, readIdeasForExport } from './idea-export-store.ts'

/** Each with all its voters and comments. */
const rowsPerRead = 100
const columns = exportColumns

/**
 * All ideas of a project as one file, read page by page, so that its size does not matter. Import takes it back, and another export
 * writes the same bytes but for ids: ideas stand in the order of (created_at, id), which the import keeps.
 */
export async function* exportIdeas(
  pg: Database,
  { projectId, format }: { projectId: string; format: FileFormat },
): AsyncGenerator<string> {
  // Spreadsheets take a file for UTF-8 only when it begins so.
  yield format === 'csv' ? `\uFEFF${columns.join(',')}\r\n` : '['
  let after: Parameters<typeof readIdeasForExport>[1]['after'] = exportStart
  for (;;) {
    const rows = await readIdeasForExport(pg, { projectId, after, limit: rowsPerRead })
    if (format === 'json') {
      const between = after === exportStart ? '\n' : ',\n'
      if (rows.length > 0) yield `${between}${rows.map((row) => JSON.stringify(row)).join(',\n')}`
    } else {
      const lines = rows.map((row) => {
        return csvLine(
          columns.map((name) => (name === 'tags' ? row.tags.join('|') : cellOf(row[name]))),
        )
      })
      yield lines.join('')
    }
    after = rows.at(-1) ?? after
    if (rows.length < rowsPerRead) break
  }
  if (format === 'json') yield '\n]\n'
}

/** What has parts of its own is JSON in its cell. */
function cellOf(value: unknown): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue)
}
