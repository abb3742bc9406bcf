import type { Database } from '../../database.ts'
import { type CsvValue, csvLine, type FileFormat } from '../../files/table-file.ts'
import { exportColumns, exportStart, readIdeasForExport } from './idea-export-store.ts'

/** Ideas in one query, each with all its voters and comments. */
const rowsPerRead = 100
const columns = exportColumns

/**
 * Writes all ideas of a project as one file, page by page, so that its length needs no memory. An
 * export of what an import read from the file has the same bytes except for ids: ideas are in the
 * order of (created_at, id), which the import keeps.
 */
export async function* writeIdeaFile(
  pg: Database,
  { projectId, format }: { projectId: string; format: FileFormat },
): AsyncGenerator<string> {
  // Spreadsheets read a file as UTF-8 only if it starts with a byte order mark.
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

/** Lists and objects are JSON in their cell. */
function cellOf(value: unknown): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue)
}
