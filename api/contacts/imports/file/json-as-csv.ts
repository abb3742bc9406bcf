/** Converts a JSON list of contacts to CSV, so that the same rules apply to both formats. */
import { MiB } from '#schemas/limits.ts'
import { JsonFileError, notJsonRule, readWholeJson } from '../../../files/json-reader.ts'
import { Slices } from '../../../files/slices.ts'
import { csvLine } from '../../../files/table-file.ts'
import { invalidField } from '../../../http/validation/invalid-field.ts'
import { recordCharactersMax } from './read-records.ts'

/** Limit in bytes. JSON is converted in memory, unlike CSV. */
export const jsonBytesMax = 4 * MiB
const namesMax = 200
/** Fields that hold the items when the file is a page of a list. */
const listFields = ['contacts', 'subscribers', 'items', 'data', 'results']

export async function jsonAsCsv(bytes: Uint8Array): Promise<Buffer> {
  if (jsonBytesMax < bytes.length) {
    throw invalidField('file', `must have at most ${jsonBytesMax} bytes as JSON: send it as CSV`)
  }
  const contacts = listOf(await parsed(bytes))
  const slices = new Slices()
  const names = new Set<string>()
  for (const [no, contact] of contacts.entries()) {
    if (contact === null || typeof contact !== 'object' || Array.isArray(contact)) {
      throw invalidField(`file[${no}]`, 'must be an object')
    }
    for (const name of Object.keys(contact)) names.add(name)
    if (namesMax < names.size) {
      throw invalidField(
        `file[${no}]`,
        `must have at most ${namesMax} fields, with those of the items before`,
      )
    }
    await slices.next()
  }
  if (names.size === 0) throw invalidField('file', 'must not be empty')
  const columns = [...names]
  const lines: string[] = []
  for (const [no, contact] of contacts.entries()) {
    const own = new Map(Object.entries(contact as object))
    lines.push(csvLine(columns.map((name) => cellOf(own.get(name), no))))
    await slices.next()
  }
  return Buffer.from(csvLine(columns) + lines.join(''), 'utf8')
}

async function parsed(bytes: Uint8Array): Promise<unknown> {
  try {
    return await readWholeJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const isBound = error instanceof JsonFileError && error.message !== notJsonRule
    throw invalidField('file', isBound ? error.message : 'must be JSON in UTF-8')
  }
}

function listOf(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json
  const fields = new Map(Object.entries(json !== null && typeof json === 'object' ? json : {}))
  const list = listFields.map((field) => fields.get(field)).find(Array.isArray)
  if (list === undefined) throw invalidField('file', 'must be a JSON list of contacts')
  return list
}

function cellOf(value: unknown, no: number): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? textOf(value, no) : String(value)
  if (recordCharactersMax < text.length) throw tooLong(no)
  return text
}

function textOf(value: object, no: number): string {
  // `JSON.stringify` cannot be interrupted, so it is only given what it writes quickly.
  if (hasMoreValues(value, recordCharactersMax)) throw tooLong(no)
  try {
    return JSON.stringify(value)
  } catch {
    throw invalidField(`file[${no}]`, 'is nested too deeply')
  }
}

function hasMoreValues(value: object, max: number): boolean {
  const open: unknown[] = [value]
  for (let count = 1; 0 < open.length; ) {
    const within = open.pop()
    if (within === null || typeof within !== 'object') continue
    const values: readonly unknown[] = Array.isArray(within) ? within : Object.values(within)
    count += values.length
    if (max < count) return true
    for (const one of values) open.push(one)
  }
  return false
}

function tooLong(no: number) {
  return invalidField(`file[${no}]`, `must have at most ${recordCharactersMax} characters`)
}
