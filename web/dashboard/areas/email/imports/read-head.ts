/**
 * The first rows of a file, for the preview. Only the head of the file is read, so that its size
 * does not matter; the server parses the file itself.
 */

export interface FileHead {
  readonly columns: readonly string[]
  /** At most `rowsShown`, as texts, in the order of the columns. */
  readonly rows: readonly (readonly string[])[]
  readonly isJson: boolean
}

const headBytes = 64 * 1024
export const rowsShown = 3
const columnsMax = 200

export async function readHead(file: Blob): Promise<FileHead> {
  const bytes = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const isWhole = file.size <= headBytes
  return headOfText(decode(bytes, isWhole), isWhole)
}

/** `isWhole` is false when the text is cut off. */
export function headOfText(text: string, isWhole: boolean): FileHead {
  return /^\s*\[/.test(text) ? jsonHead(text) : csvHead(text, isWhole)
}

export function decode(bytes: Uint8Array, isWhole: boolean): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  // The head may end within a character, which `stream` allows.
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function csvHead(text: string, isWhole: boolean): FileHead {
  const delimiter = delimiterOf(text.slice(0, text.search(/[\r\n]|$/)))
  const records = csvRecords(text, delimiter, rowsShown + 1, isWhole)
  const [names = [], ...rows] = records
  return {
    columns: names.slice(0, columnsMax).map((name) => name.trim()),
    rows: rows.slice(0, rowsShown),
    isJson: false,
  }
}

export function delimiterOf(line: string): string {
  const counts = [',', ';', '\t'].map((mark) => ({ mark, count: line.split(mark).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).mark
}

/** A record that the end of the head cuts off is left out. */
function csvRecords(text: string, delimiter: string, max: number, isWhole: boolean): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length && records.length < max; at++) {
    const character = text[at]!
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at++
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === delimiter) {
      record.push(cell)
      cell = ''
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && text[at + 1] === '\n') at++
      if (record.length > 0 || cell !== '') records.push([...record, cell])
      record = []
      cell = ''
    } else cell += character
  }
  const isRest = record.length > 0 || cell !== ''
  if (isWhole && isRest && records.length < max) records.push([...record, cell])
  return records
}

function jsonHead(text: string): FileHead {
  const items = firstObjects(text, rowsShown)
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))].slice(0, columnsMax)
  const rows = items.map((item) => columns.map((column) => textOf(item[column])))
  return { columns, rows, isJson: true }
}

/** The first complete objects of a list that may be cut off. */
function firstObjects(text: string, max: number): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  let depth = 0
  let start = -1
  let isText = false
  for (let at = 0; at < text.length && found.length < max; at++) {
    const character = text[at]
    if (isText) {
      if (character === '\\') at++
      else if (character === '"') isText = false
    } else if (character === '"') isText = true
    else if (character === '{') {
      if (depth === 0) start = at
      depth++
    } else if (character === '}') {
      depth--
      if (depth === 0) found.push(parseObject(text.slice(start, at + 1)))
      if (depth < 0) break
    }
  }
  return found
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
