/** From the first line of a file to what its columns mean: by the names that people give them, or as they were mapped. */
import { parse } from 'csv-parse/sync'
import { attribKeyPattern } from '#schemas/rest/contact.ts'
import type { ImportMapping, ImportPlan } from '#schemas/rest/contact-import.ts'
import { invalidField } from '../../http/invalid-field.ts'

export const headerBytesMax = 64 * 1024
const columnsMax = 200

const knownNames = {
  email: ['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'emailaddress'],
  name: ['name', 'full name', 'fullname', 'display name'],
  source: ['source'],
  status: ['status'],
} as const
const delimiters = [',', ';', '\t'] as const

export interface PlannedColumns {
  readonly plan: Omit<ImportPlan, 'newStatus' | 'updateExisting' | 'defaultSource'>
  readonly ignoredColumns: string[]
}

/** `start`: the beginning of the file, at least its first line. */
export function planColumns(start: string, mapping: ImportMapping): PlannedColumns {
  const delimiter = likeliestDelimiter(start)
  const names = headerNames(start, delimiter)
  const indexOf = (column: string | undefined, field: string): number | undefined => {
    if (column === undefined) return undefined
    const index = names.indexOf(column.trim())
    if (index === -1) {
      throw invalidField(
        `mapping.${field}`,
        `names no column of the file: ${names.slice(0, 20).join(', ')}`,
      )
    }
    return index
  }
  const known = (field: keyof typeof knownNames): number | undefined => {
    const mapped = indexOf(mapping[field], field)
    if (mapped !== undefined) return mapped
    const index = names.findIndex((name) =>
      (knownNames[field] as readonly string[]).includes(name.toLowerCase()),
    )
    return index === -1 ? undefined : index
  }

  const email = known('email')
  if (email === undefined) {
    throw invalidField(
      'mapping.email',
      `must name the column of the addresses, one of: ${names.slice(0, 20).join(', ')}`,
    )
  }
  const attribs: Record<string, number> = {}
  names.forEach((name, index) => {
    const key = /^attr(?:ibs)?\.(.+)$/.exec(name)?.[1]
    if (key !== undefined && attribKeyPattern.test(key)) attribs[key] = index
  })
  for (const [key, column] of Object.entries(mapping.attribs ?? {})) {
    attribs[key] = indexOf(column, `attribs.${key}`)!
  }
  const json = names.indexOf('attribs')
  const meanings = { name: known('name'), source: known('source'), status: known('status') }
  const given = Object.fromEntries(
    Object.entries(meanings).filter(([, index]) => index !== undefined),
  )
  const plan = {
    delimiter,
    email,
    ...given,
    ...(json === -1 ? {} : { attribsJson: json }),
    attribs,
  }
  const used = new Set([email, json, ...Object.values(given), ...Object.values(attribs)])
  return { plan, ignoredColumns: names.filter((_name, index) => !used.has(index)) }
}

function likeliestDelimiter(start: string): (typeof delimiters)[number] {
  const [line = ''] = start.split(/\r?\n/, 1)
  const count = (delimiter: string) => line.split(delimiter).length
  return delimiters.reduce((best, delimiter) => (count(best) < count(delimiter) ? delimiter : best))
}

function headerNames(start: string, delimiter: string): string[] {
  let records: string[][]
  try {
    records = parse(start, {
      delimiter,
      bom: true,
      to: 1,
      relax_column_count: true,
      skip_empty_lines: true,
    })
  } catch {
    throw invalidField(
      'file',
      `must begin with a line of column names, of at most ${headerBytesMax} bytes`,
    )
  }
  const names = (records[0] ?? []).map((name) => name.trim())
  if (names.length === 0) throw invalidField('file', 'must not be empty')
  if (columnsMax < names.length)
    throw invalidField('file', `must have at most ${columnsMax} columns`)
  return names
}
