/** The rows of a CSV file (RFC 4180), one batch after another: read as they are needed, whatever the size of the file. */
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { Attribs, ContactName, ContactSource } from '#schemas/rest/contact.ts'
import type { ImportPlan, ImportProblem } from '#schemas/rest/contact-import.ts'

export interface ImportRow {
  readonly line: number
  readonly email: string
  readonly key: string
  readonly domain: string
  readonly name: string | null
  readonly attribs: Attribs
  readonly source: string
  readonly status: 'subscribed' | 'unsubscribed'
}

export interface RowBatch {
  readonly rows: readonly ImportRow[]
  readonly problems: readonly ImportProblem[]
  /** From the beginning of the file, these included. */
  readonly rowsDone: number
  readonly bytesDone: number
}

const rowsPerBatch = 500
const rowBytesMax = 64 * 1024
/** What a decoder leaves of bytes that are not UTF-8. */
const replacement = '\ufffd'

interface Parsed {
  readonly record: string[]
  readonly info: { readonly lines: number; readonly bytes: number }
}

/** Rows that an earlier run did are passed over. Throws when the file is no CSV, with the line. */
export async function* readRows(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  plan: ImportPlan,
  { rowsDone: skipped }: { rowsDone: number },
): AsyncGenerator<RowBatch> {
  const parser = Readable.from(file).pipe(
    parse({
      delimiter: plan.delimiter,
      bom: true,
      from: 2,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: rowBytesMax,
    }),
  )
  let rowsDone = 0
  let bytesDone = 0
  let rows: ImportRow[] = []
  let problems: ImportProblem[] = []
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    rowsDone += 1
    bytesDone = info.bytes
    if (rowsDone <= skipped) continue
    const row = readRow(record, info.lines, plan)
    if ('rule' in row) problems.push(row)
    else rows.push(row)
    if (rows.length + problems.length < rowsPerBatch) continue
    yield { rows, problems, rowsDone, bytesDone }
    rows = []
    problems = []
  }
  if (rows.length + problems.length > 0) yield { rows, problems, rowsDone, bytesDone }
}

function readRow(
  record: readonly string[],
  line: number,
  plan: ImportPlan,
): ImportRow | ImportProblem {
  if (record.some((cell) => cell.includes(replacement))) {
    return { line, field: 'file', rule: 'must be UTF-8' }
  }
  const cell = (index: number | undefined) => withoutGuard(record[index ?? -1] ?? '').trim()
  const parsed = parseEmailAddress(cell(plan.email))
  if (parsed.kind === 'invalid') return { line, field: 'email', rule: parsed.rule }
  const name = ContactName.safeParse(cell(plan.name))
  if (!name.success) return { line, field: 'name', rule: name.error.issues[0]!.message }
  const source = ContactSource.safeParse(cell(plan.source))
  if (!source.success) return { line, field: 'source', rule: source.error.issues[0]!.message }
  const attribs = readAttribs(cell, plan)
  if (attribs === undefined) return { line, field: 'attribs', rule: 'must be JSON' }
  const checked = Attribs.safeParse(attribs)
  if (!checked.success) {
    const { path, message } = checked.error.issues[0]!
    return { line, field: ['attribs', ...path].join('.'), rule: message }
  }
  const status = cell(plan.status).toLowerCase() || plan.newStatus
  if (status !== 'subscribed' && status !== 'unsubscribed') {
    return {
      line,
      field: 'status',
      rule: 'must be subscribed or unsubscribed; other contacts are not imported',
    }
  }
  const { email, key, domain } = parsed
  return {
    ...{ line, email, key, domain, status },
    name: name.data ?? null,
    attribs: checked.data,
    source: source.data ?? plan.defaultSource,
  }
}

function readAttribs(cell: (index: number | undefined) => string, plan: ImportPlan): unknown {
  const json = cell(plan.attribsJson)
  let attribs: unknown = {}
  try {
    if (json !== '') attribs = JSON.parse(json)
  } catch {
    return undefined
  }
  if (attribs === null || typeof attribs !== 'object') return undefined
  const cells = Object.entries(plan.attribs).map(([key, index]) => [key, cell(index)])
  return { ...attribs, ...Object.fromEntries(cells.filter(([, text]) => text !== '')) }
}

/** The export puts an apostrophe before what a spreadsheet would take for a formula. */
function withoutGuard(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
