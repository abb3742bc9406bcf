/**
 * Compares values with their zod schemas: finds unknown fields of a value, and the schema at a
 * path.
 */
import type { z } from 'zod'

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes['_zod']['def']

export interface UnknownField {
  readonly path: readonly string[]
  /** The field names of the surrounding object in the schema. */
  readonly known: readonly string[]
}

/**
 * The fields of `value` that `schema` does not have, including nested ones. Free-form objects
 * accept any field.
 */
export function unknownFields(
  schema: Schema,
  value: unknown,
  path: readonly string[] = [],
): UnknownField[] {
  const def = definitionOf(schema)
  if (typeof value !== 'object' || value === null) return []
  switch (def.type) {
    case 'object':
      return unknownOfObject(def, value as Readonly<Record<string, unknown>>, path)
    case 'array':
      if (!Array.isArray(value)) return []
      return value.flatMap((item, index) => unknownFields(def.element, item, [...path, `${index}`]))
    case 'record':
      return Object.entries(value).flatMap(([name, item]) =>
        unknownFields(def.valueType, item, [...path, name]),
      )
    case 'union':
      return unknownOfUnion(def.options, value, path)
    case 'intersection': {
      const left = unknownFields(def.left, value, path)
      const right = unknownFields(def.right, value, path)
      return [
        ...left.filter((field) => isWithin(field, right)),
        ...right.filter((field) => !left.includes(field) && isBelow(field, left)),
      ].map((field) => withKnown(field, [...left, ...right]))
    }
    default:
      return []
  }
}

function unknownOfObject(
  def: z.core.$ZodObjectDef,
  value: Readonly<Record<string, unknown>>,
  path: readonly string[],
): UnknownField[] {
  if (Array.isArray(value)) return []
  const isLoose = def.catchall !== undefined && def.catchall._zod.def.type !== 'never'
  const known = Object.keys(def.shape)
  return Object.entries(value).flatMap(([name, item]) => {
    const inner = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined
    if (inner !== undefined) return unknownFields(inner, item, [...path, name])
    return isLoose ? [] : [{ path: [...path, name], known }]
  })
}

/** Schemas of values that have fields. */
const structures: ReadonlySet<string> = new Set([
  'object',
  'array',
  'record',
  'union',
  'intersection',
])

/** The matching option of a union with the most known fields. */
function unknownOfUnion(
  options: readonly Schema[],
  value: object,
  path: readonly string[],
): UnknownField[] {
  const meant = options.filter((option) => couldMean(option, value))
  const structured = options.filter((option) => structures.has(definitionOf(option).type))
  const found = (meant.length > 0 ? meant : structured).map((option) =>
    unknownFields(option, value, path),
  )
  return found.reduce((best, next) => (next.length < best.length ? next : best), found[0] ?? [])
}

/** Whether the discriminator fields have their fixed values. */
function couldMean(option: Schema, value: object): boolean {
  const def = definitionOf(option)
  if (def.type === 'array') return Array.isArray(value)
  if (def.type !== 'object') return structures.has(def.type)
  if (Array.isArray(value)) return false
  return Object.entries(def.shape).every(([name, field]) => {
    const inner = definitionOf(field)
    if (inner.type !== 'literal') return true
    return inner.values.includes((value as Record<string, never>)[name] ?? (undefined as never))
  })
}

function isWithin(field: UnknownField, others: readonly UnknownField[]): boolean {
  return others.some(({ path }) => path.every((name, index) => field.path[index] === name))
}

/** Like `isWithin`, but false for equal paths, which the other side has reported already. */
function isBelow(field: UnknownField, others: readonly UnknownField[]): boolean {
  return others.some(
    ({ path }) =>
      path.length < field.path.length && path.every((name, index) => field.path[index] === name),
  )
}

/** Both sides of an intersection contribute names. */
function withKnown(field: UnknownField, all: readonly UnknownField[]): UnknownField {
  const parent = field.path.slice(0, -1).join('\n')
  const known = all
    .filter(({ path }) => path.slice(0, -1).join('\n') === parent)
    .flatMap((other) => other.known)
  return { path: field.path, known: [...new Set(known)] }
}

/** The schema at `path` in `value`; undefined when it is ambiguous. */
export function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
  const [name, ...rest] = path
  const def = definitionOf(schema)
  if (name === undefined) return innermost(schema)
  switch (def.type) {
    case 'object': {
      const inner = Object.hasOwn(def.shape, name) ? def.shape[String(name)] : undefined
      return inner && schemaAt(inner, rest)
    }
    case 'array':
      return schemaAt(def.element, rest)
    case 'record':
      return schemaAt(def.valueType, rest)
    case 'intersection':
      return schemaAt(def.left, path) ?? schemaAt(def.right, path)
    case 'union':
      return def.options
        .map((option) => schemaAt(option, path))
        .find((found) => found !== undefined)
    default:
      return undefined
  }
}

function definitionOf(schema: Schema): Def {
  return innermost(schema)._zod.def as Def
}

/** Removes wrappers: defaults, null and undefined, and transforms. */
export function innermost(schema: Schema): Schema {
  const def = schema._zod.def as Def
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'catch':
    case 'readonly':
    case 'success':
      return innermost(def.innerType)
    case 'lazy':
      return innermost(def.getter())
    case 'pipe':
      return innermost((def.in._zod.def as Def).type === 'transform' ? def.out : def.in)
    default:
      return schema
  }
}

export interface NumberRange {
  isWhole: boolean
  from?: number
  to?: number
  /** Exclusive bounds. */
  above?: number
  below?: number
}

/** Undefined for schemas of other types. */
export function numberRange(schema: Schema): NumberRange | undefined {
  const def = definitionOf(schema)
  if (def.type !== 'number') return undefined
  const range: NumberRange = { isWhole: 'format' in def }
  for (const { _zod } of def.checks ?? []) {
    const check = _zod.def as z.core.$ZodChecks['_zod']['def']
    if (check.check === 'number_format') range.isWhole = true
    if (check.check === 'greater_than')
      range[check.inclusive ? 'from' : 'above'] = Number(check.value)
    if (check.check === 'less_than') range[check.inclusive ? 'to' : 'below'] = Number(check.value)
  }
  return range
}
