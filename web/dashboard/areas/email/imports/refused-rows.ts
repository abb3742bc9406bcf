/** Rows that were refused or skipped, as a CSV file to correct the list with. */

export interface RefusedRow {
  readonly line: number
  readonly field: string
  readonly rule: string
}

export function refusedRowsAsCsv(rows: readonly RefusedRow[]): string {
  const lines = rows.map(({ line, field, rule }) => [String(line), field, rule].map(cell).join(','))
  return ['line,field,reason', ...lines, ''].join('\r\n')
}

/** Spreadsheets run cells that begin like a formula; an apostrophe prevents it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
