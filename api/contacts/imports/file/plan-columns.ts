/**
 * Plans the meaning of a file's columns: by the mapping, by the format of the service that wrote
 * the file, or by common names. A column that looks like an opt-out and has no meaning stops the
 * import.
 */
import { attribKeyPattern } from '#schemas/rest/email/contact.ts'
import {
  columnCharactersMax,
  type ImportFormat,
  type ImportMapping,
  type ImportPlan,
  type ImportStatus,
  type StateColumn,
} from '#schemas/rest/email/contact-import.ts'
import { invalidField } from '../../../http/validation/invalid-field.ts'
import { FileColumns, shownNames } from './file-columns.ts'
import type { JsonOptOut } from './find-json-opt-outs.ts'
import { attribKeyOf } from './fit-attribs.ts'
import {
  consentReading,
  type FileFormat,
  flagReading,
  formatOf,
  ownWords,
  type StateReading,
} from './formats.ts'
import { likelyMeaning, looksLikeOptOut, normalisedName } from './opt-out-names.ts'
import type { FileHead } from './read-head.ts'
import { shownText } from './shown-text.ts'

export interface ColumnOptions {
  readonly mapping: ImportMapping
  readonly ignore: readonly string[]
  readonly format: ImportFormat | undefined
  readonly fileName: string | undefined
  readonly status: ImportStatus | undefined
  /** Slug of the newsletter that gets the contacts. */
  readonly newsletter: string
}

export interface PlannedColumns {
  readonly plan: Omit<ImportPlan, 'encoding' | 'updateExisting' | 'defaultSource'>
  readonly notes: readonly string[]
}

/** `optOuts`: JSON fields that count as columns, after those of the file. */
export function planColumns(
  head: FileHead,
  options: ColumnOptions,
  optOuts: readonly JsonOptOut[],
): PlannedColumns {
  const { delimiter } = head
  const names = [...head.names, ...optOuts.map((optOut) => jsonName(head, optOut))]
  const { mapping } = options
  const normalised = names.map(normalisedName)
  const format = fileFormat(head, options)
  const columns = new FileColumns(names, normalised)

  const ignored = new Set(
    [...options.ignore, ...(mapping.ignore ?? [])].flatMap((name) => columns.all(name, 'ignore')),
  )
  const states = mappedStates(columns, mapping)
  const known = (candidates: readonly string[]): number | undefined =>
    columns.take(candidates, ignored)
  const mapped = (field: 'email' | 'source') =>
    mapping[field] === undefined ? undefined : columns.one(mapping[field], field)

  const email = mapped('email') ?? known(format.email)
  if (email === undefined) {
    throw invalidField(
      'mapping.email',
      `must name the column of the addresses, one of: ${shownNames(names)}`,
    )
  }
  const attribs = mappedAttribs(columns, mapping)
  const nameColumns = nameOf(columns, { mapping, format, ignored })
  const source = mapped('source') ?? (format.source && known([format.source]))
  for (const [name, reading] of Object.entries(format.states)) {
    for (const column of columns.named(name)) {
      if (!ignored.has(column) && columns.use(column))
        states.push(stateOf(columns, column, reading))
    }
  }
  const rest = {
    attribsJson: format.attribsJson && known([format.attribsJson]),
    tags: format.tags && known([format.tags]),
    createdAt: format.createdAt && known(format.createdAt),
    confirmedAt: format.confirmedAt && known([format.confirmedAt]),
    unsubscribedAt: format.unsubscribedAt && columns.named(format.unsubscribedAt)[0],
  }
  if (typeof rest.unsubscribedAt === 'number') columns.use(rest.unsubscribedAt)
  const own = format.format === 'sluice' ? ownColumns(columns, head, options.newsletter) : {}

  const unused = names.flatMap((name, column) => (columns.isUsed(column) ? [] : [{ name, column }]))
  const left = unused.filter(({ column }) => !ignored.has(column))
  const foreign = left.filter(({ column }) => !format.notImported.includes(normalised[column]!))
  const optOut = foreign.find(
    ({ name, column }) =>
      head.names.length <= column || looksLikeOptOut(name.replace(/^attr(?:ibs)?\./, '')),
  )
  if (optOut !== undefined) {
    const json = optOuts[optOut.column - head.names.length]
    throw unmappedOptOut(optOut.name, json && { line: json.line, within: names[json.column]! })
  }
  for (const { name, column } of foreign) {
    const key = keyOfColumn(name, format)
    if (key === undefined || Object.hasOwn(attribs, key)) continue
    attribs[key] = column
    columns.use(column)
  }
  const newStatus = baseStatus(format, new Set(normalised), options)
  const plan = {
    format: format.format,
    delimiter,
    columns: head.names.length,
    jsonColumns: optOuts.map(({ column, path }) => ({ column, path })),
    email,
    names: nameColumns,
    states,
    attribs,
    fitAttribs: format.foreign,
    ...own,
    newStatus,
    ignoredColumns: names.flatMap((name, column) =>
      columns.isUsed(column) ? [] : [name === '' ? `(column ${column + 1})` : name],
    ),
    ...Object.fromEntries(
      Object.entries({ source, ...rest }).filter(([, column]) => typeof column === 'number'),
    ),
  }
  return { plan, notes: format.note === undefined ? [] : [format.note] }
}

/** Finds the columns whose JSON may record opt-outs. Our own export has columns for the status. */
export function columnsWithJson(head: FileHead, options: ColumnOptions): number[] {
  const format = fileFormat(head, options)
  const isOwn = format.format === 'sluice'
  if (isOwn && format.recognizedBy(new Set(head.names.map(normalisedName)))) return []
  const ignored = new Set(
    [...options.ignore, ...(options.mapping.ignore ?? [])].map((name) => name.trim()),
  )
  return head.names.flatMap((name, column) =>
    ignored.has(name) || format.notImported.includes(normalisedName(name)) ? [] : [column],
  )
}

function fileFormat({ names }: FileHead, { format }: ColumnOptions): FileFormat {
  return formatOf(new Set(names.map(normalisedName)), format)
}

/** Name of a JSON field, such as `attributes.unsubscribed`. */
function jsonName({ names }: FileHead, { column, path }: JsonOptOut): string {
  return [names[column], ...path].join('.').trim()
}

function mappedStates(columns: FileColumns, mapping: ImportMapping): StateColumn[] {
  const { status, statusValues = {} } = mapping
  const words = {
    ...ownWords.values,
    ...Object.fromEntries(
      Object.entries(statusValues).map(([word, outcome]) => [word.trim().toLowerCase(), outcome]),
    ),
  }
  const reading: StateReading = { values: words, blank: words[''] ?? 'nothing' }
  const states = status === undefined ? [] : [[columns.one(status, 'status'), reading] as const]
  if (status === undefined && mapping.statusValues !== undefined) {
    const [column] = columns.named('status')
    if (column === undefined) throw invalidField('mapping.statusValues', 'needs a status column')
    columns.use(column)
    states.push([column, reading])
  }
  const flags = [
    ['subscribed', consentReading],
    ['unsubscribed', flagReading('unsubscribed')],
    ['bounced', flagReading('bounced')],
    ['complained', flagReading('complained')],
    ['blocked', flagReading('blocked')],
  ] as const
  for (const [field, flag] of flags) {
    for (const name of mapping[field] ?? []) states.push([columns.one(name, field), flag])
  }
  return states.map(([column, own]) => stateOf(columns, column, own))
}

function stateOf(columns: FileColumns, column: number, reading: StateReading): StateColumn {
  return { column, name: columns.nameOf(column), ...reading }
}

function mappedAttribs(columns: FileColumns, mapping: ImportMapping): Record<string, number> {
  const named = Object.entries(mapping.attribs ?? {})
  return Object.fromEntries(
    named.map(([key, column]) => [key, columns.one(column, `attribs.${key}`)]),
  )
}

function nameOf(
  columns: FileColumns,
  given: { mapping: ImportMapping; format: FileFormat; ignored: ReadonlySet<number> },
): number[] {
  const { mapping, format, ignored } = given
  if (mapping.name !== undefined) return mapping.name.map((name) => columns.one(name, 'name'))
  const isThere = (name: string) =>
    columns.named(name).some((column) => !ignored.has(column) && !columns.isUsed(column))
  const group = format.name.find((names) => names.every(isThere)) ?? []
  return group.map((name) => columns.take([name], ignored)!)
}

function keyOfColumn(name: string, format: FileFormat): string | undefined {
  const given = /^attr(?:ibs)?\.(.+)$/.exec(name)?.[1]
  if (given !== undefined) return attribKeyPattern.test(given) ? attribKeyOf(given) : undefined
  return format.foreign ? attribKeyOf(name) : undefined
}

/** Plans the columns that only our own export has. */
function ownColumns(columns: FileColumns, head: FileHead, target: string) {
  const index = (name: string) => {
    const [column] = columns.named(name)
    if (column !== undefined) columns.use(column)
    return column === undefined ? {} : column
  }
  const given = {
    cause: index('suppression_cause'),
    at: index('suppressed_at'),
    source: index('suppression_source'),
    before: index('status_before'),
  }
  const suppression = Object.fromEntries(
    Object.entries(given).filter(([, column]) => typeof column === 'number'),
  ) as NonNullable<ImportPlan['suppression']>
  const column = index('newsletter')
  if (typeof column !== 'number') return { suppression }
  const slugs = head.rows.map((row) => row[column] ?? '').filter((slug) => slug !== '')
  const newsletter = slugs.includes(target) ? target : slugs[0]
  return newsletter === undefined ? { suppression } : { suppression, only: { column, newsletter } }
}

/** Status of contacts for which no column has one. */
function baseStatus(
  format: FileFormat,
  names: ReadonlySet<string>,
  { status, fileName, ignore, mapping }: ColumnOptions,
): ImportStatus {
  if (format.format === 'keila' && !names.has('status')) {
    if (status !== undefined) return status
    throw invalidField(
      'file',
      'is an export of a version of Keila that does not say who unsubscribed: export it with a version that writes the column Status, or say with status what all of them are',
    )
  }
  if (format.format !== 'mailchimp') return status ?? 'subscribed'
  const named = statusOfFileName(fileName)
  if (status !== undefined) {
    const isOptIn = status === 'subscribed' || status === 'pending'
    if (!isOptIn || named === undefined || named === 'subscribed') return status
    throw invalidField(
      'status',
      `must not be ${status} for a file that is called ${fileName}: these people are ${named}. Leave status out`,
    )
  }
  if (names.has('clean_time')) return 'bounced'
  if (names.has('unsub_time')) return 'unsubscribed'
  if (named !== undefined) return named
  const isMapped = Object.keys(mapping).length > 0 || ignore.length > 0
  throw invalidField(
    'fileName',
    `must be given for a file of Mailchimp${isMapped ? ', or the format generic' : ''}: it says whether these people are subscribed (subscribed_….csv), unsubscribed_….csv or cleaned_….csv. Or say it with status: subscribed, unsubscribed or bounced`,
  )
}

/** Mailchimp's three files can have the same columns and differ only by file name. */
function statusOfFileName(fileName: string | undefined): ImportStatus | undefined {
  const [kind] = /^(?:subscribed|unsubscribed|cleaned|non[-_]?subscribed)/.exec(
    (fileName ?? '').split(/[\\/]/).at(-1)!.toLowerCase(),
  ) ?? [undefined]
  if (kind === undefined || kind === 'subscribed') return kind
  return kind === 'cleaned' ? 'bounced' : 'unsubscribed'
}

/** `json`: for a JSON field, the line of its first occurrence and its column. */
function unmappedOptOut(fullName: string, json: { line: number; within: string } | undefined) {
  const name = shownText(fullName, columnCharactersMax)
  const meaning = likelyMeaning(name)
  const mapping = JSON.stringify({ [meaning]: name })
  const thing = json === undefined ? `column "${name}"` : `field "${name}" of line ${json.line}`
  const orColumn = json === undefined ? '' : `, or ignore all of the column "${json.within}"`
  return invalidField(
    'mapping',
    `must say what the ${thing} means, because it looks like an opt-out: map it, as in ${mapping}, or ignore it with ignore=${encodeURIComponent(name)} (--ignore-column ${JSON.stringify(name)} on the command line)${orColumn}. Nothing was imported`,
  )
}
