/**
 * Reads the rows of a CSV file (RFC 4180) in batches, so that memory use does not grow with the
 * file.
 */
import { parseEmailAddress } from '#schemas/email-address.ts'
import { Attribs, ContactName, ContactSource } from '#schemas/rest/email/contact.ts'
import type { ImportPlan, ImportProblem } from '#schemas/rest/email/contact-import.ts'
import { Slices } from '../../../files/slices.ts'
import { unguarded } from '../../../files/table-file.ts'
import { fitAttribs, tagsText } from './fit-attribs.ts'
import { jsonCell, optOutPaths } from './json-fields.ts'
import { readRecords } from './read-records.ts'
import { type RowState, readState } from './read-state.ts'
import { readTime } from './read-time.ts'
import { shownText } from './shown-text.ts'

export interface ImportRow extends RowState {
  readonly line: number
  readonly email: string
  readonly key: string
  readonly domain: string
  readonly name: string | null
  readonly attribs: Attribs
  readonly source: string | null
  readonly createdAt: Date | undefined
  readonly confirmedAt: Date | undefined
  readonly unsubscribedAt: Date | undefined
  readonly suppressedAt: Date | undefined
  readonly suppressionSource: string | undefined
}

export interface RowBatch {
  readonly rows: readonly ImportRow[]
  readonly problems: readonly ImportProblem[]
  /** Parts that were left out of imported rows. */
  readonly warnings: readonly ImportProblem[]
  /** Rows from the beginning of the file to the end of this batch. */
  readonly rowsDone: number
  readonly bytesDone: number
}

const rowsPerBatch = 500
/** Size limit of a batch, so that many long rows do not block the process. */
const batchBytesMax = 256 * 1024
/** A decoder writes this character for invalid bytes. */
const replacement = '\ufffd'

/** Skips rows of an earlier run. Throws `CsvError` with the line when the file is not CSV. */
export async function* readRows(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  plan: ImportPlan,
  { rowsDone: skipped, now }: { rowsDone: number; now: Date },
): AsyncGenerator<RowBatch> {
  const scale = plan.encoding.startsWith('utf-16') ? 2 : 1
  let batch = new Batch()
  let rowsDone = 0
  let bytesDone = 0
  let bytesBefore = 0
  const slices = new Slices()
  for await (const { record, info } of readRecords(file, plan)) {
    await slices.next()
    rowsDone += 1
    bytesDone = info.bytes * scale
    if (rowsDone <= skipped) continue
    batch.add(readRow(record, info.lines, plan, now))
    if (batch.size < rowsPerBatch && info.bytes - bytesBefore < batchBytesMax) continue
    yield { ...batch.parts(), rowsDone, bytesDone }
    batch = new Batch()
    bytesBefore = info.bytes
  }
  if (batch.size > 0) yield { ...batch.parts(), rowsDone, bytesDone }
}

type ReadRow = { readonly row: ImportRow; readonly warnings: ImportProblem[] } | ImportProblem

class Batch {
  readonly #rows: ImportRow[] = []
  readonly #problems: ImportProblem[] = []
  readonly #warnings: ImportProblem[] = []

  get size(): number {
    return this.#rows.length + this.#problems.length
  }

  add(read: ReadRow): void {
    if (!('row' in read)) {
      this.#problems.push(read)
      return
    }
    this.#rows.push(read.row)
    this.#warnings.push(...read.warnings)
  }

  parts(): Pick<RowBatch, 'rows' | 'problems' | 'warnings'> {
    return { rows: this.#rows, problems: this.#problems, warnings: this.#warnings }
  }
}

function readRow(record: readonly string[], line: number, plan: ImportPlan, now: Date): ReadRow {
  const shape = wrongShape(record, plan)
  if (shape !== undefined) return { line, field: 'file', rule: shape }
  const cell = cellReader(record, plan)
  const parsed = parseEmailAddress(cell(plan.email))
  if (parsed.kind === 'invalid') return { line, field: 'email', rule: parsed.rule }
  if (plan.only !== undefined && cell(plan.only.column) !== plan.only.newsletter) {
    const rule = `must be ${plan.only.newsletter}, as in the other rows: export and import one newsletter at a time`
    return { line, field: 'newsletter', rule }
  }
  const unplanned = unplannedOptOut(cell, plan)
  if (unplanned !== undefined) return { line, ...unplanned }
  const state = readState(cell, plan, now)
  if ('rule' in state) return { line, ...state }

  // An unsubscribed or suppressed row counts even when other parts of it are not valid.
  const hasLeft = state.own === 'unsubscribed' || state.suppression !== null
  const isLenient = plan.fitAttribs || hasLeft
  const warnings: ImportProblem[] = []
  const leaveOut = (field: string, rule: string) =>
    warnings.push({ line, field, rule: `left out: ${rule}` })

  const name = ContactName.safeParse(plan.names.map(cell).join(' '))
  const source = ContactSource.safeParse(cell(plan.source))
  const suppressionSource = ContactSource.safeParse(cell(plan.suppression?.source))
  for (const [field, checked] of Object.entries({ name, source, suppressionSource })) {
    if (checked.success) continue
    const rule = checked.error.issues[0]!.message
    if (!isLenient) return { line, field, rule }
    leaveOut(field, rule)
  }
  const attribs = readAttribs(cell, plan)
  if ('rule' in attribs) {
    if (!isLenient) return { line, ...attribs }
    leaveOut(attribs.field, attribs.rule)
  } else {
    warnings.push(...attribs.misfits.map((misfit) => ({ line, ...misfit })))
  }
  const time = (field: string, column: number | undefined) => {
    const text = cell(column)
    const at = readTime(text, now)
    if (at === undefined && text !== '') leaveOut(field, 'must be a time between 1970 and today')
    return at
  }
  return {
    row: {
      line,
      email: parsed.email,
      key: parsed.key,
      domain: parsed.domain,
      ...state,
      name: name.data ?? null,
      attribs: 'rule' in attribs ? {} : attribs.attribs,
      source: source.data ?? (plan.format === 'sluice' ? null : plan.defaultSource),
      createdAt: time('createdAt', plan.createdAt),
      confirmedAt: time('confirmedAt', plan.confirmedAt),
      unsubscribedAt: time('unsubscribedAt', plan.unsubscribedAt),
      suppressedAt: time('suppressedAt', plan.suppression?.at),
      suppressionSource: suppressionSource.data,
    },
    warnings,
  }
}

/** Reads the text of a column. Columns after those of the file are JSON fields in its cells. */
function cellReader(record: readonly string[], { columns, jsonColumns = [] }: ImportPlan) {
  const ofFile = (index: number) => unguarded(record[index] ?? '').trim()
  return (index: number | undefined): string => {
    if (index === undefined) return ''
    const json = columns === null ? undefined : jsonColumns[index - columns]
    return json === undefined ? ofFile(index) : jsonCell(ofFile(json.column), json.path)
  }
}

/** Refuses rows with a JSON opt-out in imports planned by versions that did not search for them. */
function unplannedOptOut(cell: (index: number | undefined) => string, plan: ImportPlan) {
  if (plan.jsonColumns !== undefined || plan.format === 'sluice') return undefined
  const [path] = optOutPaths(cell(plan.attribsJson))
  return path === undefined
    ? undefined
    : {
        field: shownText(`attribs.${path.join('.')}`),
        rule: 'looks like an opt-out: upload the file again and say what it means',
      }
}

/** A row with missing or extra cells is refused, because a shifted cell could look like consent. */
function wrongShape(record: readonly string[], plan: ImportPlan): string | undefined {
  if (record.some((cell) => cell.includes(replacement))) {
    return 'must be UTF-8, without replacement characters (U+FFFD)'
  }
  if (plan.columns === null) return undefined
  const { columns, jsonColumns = [] } = plan
  const ofFile = (column: number) => jsonColumns[column - columns]?.column ?? column
  const needed = Math.max(-1, ...plan.states.map(({ column }) => ofFile(column)))
  const isCut = record.length <= needed
  const hasMore = record.slice(columns).some((cell) => cell.trim() !== '')
  return isCut || hasMore
    ? `must have ${columns} cells, as many as the first line, not ${record.length}`
    : undefined
}

type ReadAttribs =
  | { readonly attribs: Attribs; readonly misfits: readonly { field: string; rule: string }[] }
  | { readonly field: string; readonly rule: string }

function readAttribs(cell: (index: number | undefined) => string, plan: ImportPlan): ReadAttribs {
  const given = parsedJson(cell(plan.attribsJson))
  if (given === undefined) return { field: 'attribs', rule: 'must be a JSON object' }
  const cells = Object.entries(plan.attribs).map(([key, index]) => [key, cell(index)] as const)
  const tags = tagsText(cell(plan.tags))
  const all = [
    ...Object.entries(given).filter(([name]) => !hasOwnMeaning(name, plan)),
    ...cells.filter(([, text]) => text !== ''),
    ...(tags === '' ? [] : [['tags', tags] as const]),
  ]
  if (plan.fitAttribs) return fitAttribs(all)
  const checked = Attribs.safeParse(Object.fromEntries(all))
  if (checked.success) return { attribs: checked.data, misfits: [] }
  const { path, message } = checked.error.issues[0]!
  return { field: shownText(['attribs', ...path].join('.')), rule: message }
}

/** A JSON field that was mapped or ignored like a column is not an attribute. */
function hasOwnMeaning(name: string, { attribsJson, jsonColumns = [] }: ImportPlan): boolean {
  return jsonColumns.some(
    ({ column, path }) => column === attribsJson && path.length === 1 && path[0] === name,
  )
}

function parsedJson(json: string): object | undefined {
  if (json === '' || json === 'null') return {}
  try {
    const given: unknown = JSON.parse(json)
    return given !== null && typeof given === 'object' && !Array.isArray(given) ? given : undefined
  } catch {
    return undefined
  }
}
