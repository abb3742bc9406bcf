/** The results as a table in Markdown, for the terminal and for the documentation. */
import type { Drill, DrillResult } from './drill.ts'

export const tableStart = '<!-- drills: start -->'
export const tableEnd = '<!-- drills: end -->'

export function formatTable(results: readonly DrillResult[]): string {
  return [tableHead, ...results.map(formatRow)].join('\n')
}

const tableHead = `| Fault | SDK | API | Email | Not ready | Alerts | Back after | Operator |
|---|---|---|---|---|---|---|---|`

function formatRow(result: DrillResult): string {
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
}

/**
 * The page with the rows of these results replaced in the table between its marks. Rows of drills
 * that did not run stay; those of drills that no longer exist go. Throws if the page has no marks.
 */
export function updatePage(
  page: string,
  results: readonly DrillResult[],
  all: readonly Drill[],
): string {
  const start = page.indexOf(tableStart)
  const end = page.indexOf(tableEnd)
  if (start < 0 || end < start) throw new Error(`the page has no ${tableStart} … ${tableEnd}`)
  const rows = new Map<string, string>()
  const ran = results.filter(({ skipped }) => skipped === undefined)
  for (const line of [...page.slice(start, end).split('\n'), ...ran.map(formatRow)]) {
    rows.set(line.split(' | ', 1)[0]!, line)
  }
  const ordered = all.flatMap(({ fault }) => rows.get(`| ${fault}`) ?? [])
  const table = [tableHead, ...ordered].join('\n')
  return `${page.slice(0, start + tableStart.length)}\n${table}\n${page.slice(end)}`
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
