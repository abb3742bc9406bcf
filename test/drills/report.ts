/** The results as a table in Markdown, for the terminal and for the documentation. */
import type { DrillResult } from './drill.ts'

export const tableStart = '<!-- drills: start -->'
export const tableEnd = '<!-- drills: end -->'

export function formatTable(results: readonly DrillResult[]): string {
  const head = '| Fault | SDK | API | Email | Not ready | Alerts | Back after | Operator |'
  const rows = results.map((result) => {
    const { drill, seen, notReady, fired, recoverySeconds, skipped } = result
    if (skipped !== undefined)
      return row([drill.fault, `not run: ${skipped}`, '', '', '', '', '', ''])
    return row([
      drill.fault,
      seen['SDK'] ?? '',
      seen['API'] ?? '',
      seen['Email'] ?? '',
      notReady || 'none',
      fired.join(', ') || 'none',
      `${Math.round(recoverySeconds)} s`,
      drill.operator,
    ])
  })
  return [head, '|---|---|---|---|---|---|---|---|', ...rows].join('\n')
}

/** The page with the table between its marks replaced. Throws if it has no marks. */
export function replaceTable(page: string, table: string): string {
  const start = page.indexOf(tableStart)
  const end = page.indexOf(tableEnd)
  if (start < 0 || end < start) throw new Error(`the page has no ${tableStart} … ${tableEnd}`)
  return `${page.slice(0, start + tableStart.length)}\n${table}\n${page.slice(end)}`
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
