/** Lines of styled text, and how they are aligned, cut and painted. */

export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'warning' | 'problem'
export interface Segment {
  readonly text: string
  readonly style: Style
}
export type Line = readonly Segment[]
export function segment(text: string, style: Style = 'plain'): Segment {
  return { text, style }
}

export type Cell = string | Segment

/** The first column is left-aligned, and so are the named ones; numbers are right-aligned. */
export function table(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  left = 1,
): Line[] {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'string' ? segment(cell) : cell)),
  )
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => [...(row[column]?.text ?? '')].length)),
  )
  const align = (text: string, column: number) => {
    const width = widths[column] ?? 0
    return column < left ? padEnd(text, width) : text.padStart(width)
  }
  const line = (row: readonly Segment[]): Line =>
    row.flatMap((cell, column) => [
      segment(column === 0 ? '' : '  '),
      { ...cell, text: align(cell.text, column) },
    ])
  return [line(names.map((name) => segment(name, 'dim'))), ...cells.map(line)]
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length))
}

export function facts(title: string, entries: readonly Cell[]): Line {
  const parts = entries.flatMap((entry) => [
    segment('   '),
    typeof entry === 'string' ? segment(entry) : entry,
  ])
  return [segment(title.padEnd(9), 'bold'), ...parts.slice(1)]
}

export function lengthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + [...text].length, 0)
}

export function clip(line: Line, columns: number): Line {
  if (lengthOf(line) <= columns) return line
  const clipped: Segment[] = []
  let room = columns - 1
  for (const { text, style } of line) {
    const characters = [...text]
    if (room <= 0) break
    clipped.push({ text: characters.slice(0, room).join(''), style })
    room -= characters.length
  }
  return [...clipped, segment('…')]
}

const codes = {
  bold: '\u001b[1m',
  dim: '\u001b[2m',
  good: '\u001b[32m',
  warning: '\u001b[33m',
  problem: '\u001b[1;31m',
} as const

export function paint(line: Line, isColored: boolean): string {
  const text = line
    .map(({ text, style }) => {
      if (!isColored || style === 'plain' || text.trim() === '') return text
      return `${codes[style]}${text}\u001b[0m`
    })
    .join('')
  return isColored ? text : text.trimEnd()
}
