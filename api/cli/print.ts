/** Formats the output of commands: one JSON value for scripts, a table or a list for people. */
export type Row = Readonly<Record<string, unknown>>

export function asJson(value: object): string {
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

/**
 * What other people wrote must not move the cursor, set the title or turn the order of characters:
 * control characters become `?`. Scripts get all characters, escaped, from `--json`.
 */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '?')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(cell).join(', ')
  return typeof value === 'object'
    ? Object.values(value).map(cell).join(' ')
    : harmless(String(value))
}
