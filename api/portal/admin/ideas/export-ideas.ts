import { csvLine, type FileFormat } from '../../../http/table-file.ts'
import type { Database } from '../../../io/database.ts'
import { readIdeasForExport } from '../../../io/idea-import-store.ts'

const rowsPerRead = 1_000
const columns = [
  ...['id', 'title', 'description', 'status', 'moderation', 'tags', 'vote_count', 'comment_count'],
  ...['author_id', 'author_name', 'response', 'duplicate_of', 'created_at', 'updated_at'],
] as const

/** All ideas of a project as one file, read page by page, so that its size does not matter. Import takes it back. */
export async function* exportIdeas(
  pg: Database,
  { projectId, format }: { projectId: string; format: FileFormat },
): AsyncGenerator<string> {
  // Spreadsheets take a file for UTF-8 only when it begins so.
  yield format === 'csv' ? `\uFEFF${columns.join(',')}\r\n` : '['
  let afterId: string | undefined
  for (;;) {
    const rows = await readIdeasForExport(pg, { projectId, afterId, limit: rowsPerRead })
    if (format === 'json') {
      const between = afterId === undefined ? '\n' : ',\n'
      if (rows.length > 0) yield `${between}${rows.map((row) => JSON.stringify(row)).join(',\n')}`
    } else {
      const lines = rows.map((row) => {
        const cells: Record<string, string | number | null> = { ...row, tags: row.tags.join('|') }
        return csvLine(columns.map((name) => cells[name] ?? null))
      })
      yield lines.join('')
    }
    afterId = rows.at(-1)?.id
    if (rows.length < rowsPerRead) break
  }
  if (format === 'json') yield '\n]\n'
}
