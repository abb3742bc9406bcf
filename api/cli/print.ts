/** Formats the output of commands: one JSON value for scripts, a table or a list for people. */
export type Row = Readonly<Record<string, unknown>>

export function asJson(value: Row | readonly Row[]): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function asText(value: Row | readonly Row[]): string {
  return Array.isArray(value) ? asTable(value) : asCard(value as Row)
}

function asCard(row: Row): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length))
  return Object.entries(row)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`)
    .join('')
}

function asTable(rows: readonly Row[]): string {
  const [first] = rows
  if (first === undefined) return 'None.\n'
  const names = Object.keys(first)
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map(
      (line) =>
        `${line
          .map((text, column) => text.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(cell).join(', ')
  return typeof value === 'object' ? Object.values(value).map(cell).join(' ') : String(value)
}
