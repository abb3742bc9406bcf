/** Reads JSON fields inside a cell. Like columns, they can record an opt-out, at any depth. */
import { looksLikeOptOut } from './opt-out-names.ts'

/** Deeper fields belong to their parent at this level. */
const levelsMax = 8

interface JsonField {
  /** Names of the fields that lead to this one. The items of a list share one path. */
  readonly path: readonly string[]
  readonly name: string
  readonly value: unknown
  /** False when the field is deeper than `levelsMax`, below its path. */
  readonly isWhole: boolean
}

/** Finds the paths of fields whose names look like an opt-out. */
export function optOutPaths(cell: string): readonly (readonly string[])[] {
  return jsonFields(cell)
    .filter(({ name }) => looksLikeOptOut(name))
    .map(({ path }) => path)
}

/** Reads the fields of one path like a cell: blank when there are none, joined when they differ. */
export function jsonCell(cell: string, path: readonly string[]): string {
  const found = jsonFields(cell).filter(
    (field) =>
      field.isWhole &&
      field.path.length === path.length &&
      field.path.every((name, index) => name === path[index]),
  )
  return [...new Set(found.flatMap(({ value }) => textsOf(value)))].join(', ')
}

/** Iterative, because the nesting depth of a cell is limited by its length only. */
function jsonFields(cell: string): readonly JsonField[] {
  const fields: JsonField[] = []
  const open: Pick<JsonField, 'path' | 'value'>[] = [{ path: [], value: cell }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next
    const container = containerOf(value)
    if (Array.isArray(container)) {
      for (const item of container) open.push({ path, value: item })
      continue
    }
    for (const [name, child] of Object.entries(container ?? {})) {
      const isWhole = path.length < levelsMax
      const field = { path: isWhole ? [...path, name] : path, name, value: child, isWhole }
      fields.push(field)
      open.push(field)
    }
  }
  return fields
}

/** Parses objects and lists, and strings that contain JSON. */
function containerOf(value: unknown): object | undefined {
  if (typeof value === 'object') return value ?? undefined
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return undefined
  try {
    return containerOf(JSON.parse(value))
  } catch {
    return undefined
  }
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map((item: unknown) => textOf(item))
  return [textOf(value)]
}

function textOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? '{…}' : String(value).trim()
}
