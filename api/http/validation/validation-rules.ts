/**
 * Describes a violated rule in plain English that continues the field's name: "must be a whole
 * number from 1 to 100". A message of the schema itself is kept. All other messages are written
 * here, so no message of the validator reaches a client.
 */
import type { z } from 'zod'
import type { FieldError } from '#schemas/error-codes.ts'
import { unknownFieldRule } from './closest-name.ts'
import { numberRange, schemaAt } from './schema-fields.ts'

type Schema = z.core.$ZodType
type Issue = z.core.$ZodIssue

const detailsMax = 20
const fieldCharactersMax = 100
const valuesNamedMax = 30
/** Marks messages that do not come from a schema. */
const unwritten = '\u0000unwritten'

export type Checked<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly errors: readonly [FieldError, ...FieldError[]] }

/**
 * Parses `value`. `place` names the value, such as `body`, in errors that are not about one field.
 */
export function checkValue<Shape extends z.ZodType>(
  schema: Shape,
  value: unknown,
  place: string,
): Checked<z.output<Shape>> {
  const parsed = schema.safeParse(value, { error: () => unwritten, reportInput: true })
  if (parsed.success) return { success: true, data: parsed.data }
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(schema, issue as Issue, place))
  const [first = { field: place, rule: 'is not valid' }, ...others] = errors
  return { success: false, errors: [first, ...others.slice(0, detailsMax - 1)] }
}

function fieldErrors(schema: Schema, issue: Issue, place: string): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownNames(schemaAt(schema, issue.path))
    return issue.keys.map((key) => ({
      field: fieldOf([...issue.path, key], place),
      rule: unknownFieldRule(key, known),
    }))
  }
  if (issue.code === 'invalid_union' && isUnwritten(issue)) return unionErrors(schema, issue, place)
  return [{ field: fieldOf(issue.path, place), rule: ruleOf(schema, issue) }]
}

function fieldOf(path: readonly PropertyKey[], place: string): string {
  return path.length === 0 ? place : path.map(String).join('.').slice(0, fieldCharactersMax)
}

function knownNames(schema: Schema | undefined): string[] {
  const def = schema?._zod.def as z.core.$ZodTypes['_zod']['def'] | undefined
  return def?.type === 'object' ? Object.keys(def.shape) : []
}

function isUnwritten(issue: Issue): boolean {
  return issue.message === unwritten
}

/** The rule that `issue` violates; `schema` is the schema that was parsed. */
function ruleOf(schema: Schema, issue: Issue): string {
  return isUnwritten(issue) ? writtenRule(schemaAt(schema, issue.path), issue) : issue.message
}

function writtenRule(schema: Schema | undefined, issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : typeRule(schema, issue.expected)
    case 'too_big':
    case 'too_small':
      return sizeRule(schema, issue)
    case 'invalid_format':
      return formatRule(issue)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_value':
      return valueRule(issue.values)
    case 'unrecognized_keys':
      return `must not have the field ${issue.keys.map((key) => `\`${key}\``).join(', ')}`
    case 'invalid_key':
      return `has a key that is not allowed: ${nestedRule(issue.issues)}`
    case 'invalid_element':
      return `has an element that is not allowed: ${nestedRule(issue.issues)}`
    case 'invalid_union':
      return 'must have one of the forms that the documentation lists'
    default:
      return 'is not valid'
  }
}

function nestedRule(issues: readonly Issue[]): string {
  const [first] = issues
  if (first === undefined) return 'it is not valid'
  return `it ${isUnwritten(first) ? writtenRule(undefined, first) : first.message}`
}

const typeRules: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  object: 'must be an object',
  record: 'must be an object',
  map: 'must be an object',
  array: 'must be an array',
  set: 'must be an array',
  tuple: 'must be an array',
  date: 'must be a date',
  bigint: 'must be a whole number',
  null: 'must be null',
  nan: 'must be a number',
  undefined: 'must be left out',
  void: 'must be left out',
  never: 'must be left out',
}

function typeRule(schema: Schema | undefined, expected: string): string {
  const range = schema && numberRule(schema)
  return range ?? typeRules[expected] ?? 'has the wrong type'
}

/** The full rule of a number, for any violation of it; undefined for other schemas. */
function numberRule(schema: Schema): string | undefined {
  const range = numberRange(schema)
  if (range === undefined) return undefined
  const { isWhole, from, to, above, below } = range
  const noun = isWhole ? 'a whole number' : 'a number'
  if (from !== undefined && to !== undefined) return `must be ${noun} from ${from} to ${to}`
  const bounds = [
    from === undefined ? '' : ` of at least ${from}`,
    to === undefined ? '' : ` of at most ${to}`,
    above === undefined ? '' : ` greater than ${above}`,
    below === undefined ? '' : ` less than ${below}`,
  ].filter((bound) => bound !== '')
  return `must be ${noun}${bounds.join(' and')}`
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  object: ['field', 'fields'],
  map: ['field', 'fields'],
  file: ['byte', 'bytes'],
}

function sizeRule(
  schema: Schema | undefined,
  issue: Issue & { code: 'too_big' | 'too_small' },
): string {
  const range = schema && numberRule(schema)
  if (range !== undefined) return range
  const isMax = issue.code === 'too_big'
  const bound = isMax ? issue.maximum : issue.minimum
  if (issue.origin === 'date') {
    return `must not be ${isMax ? 'later' : 'earlier'} than ${new Date(Number(bound)).toISOString()}`
  }
  const unit = units[issue.origin]
  if (unit === undefined) {
    if (issue.inclusive === false) return `must be ${isMax ? 'less' : 'greater'} than ${bound}`
    return `must be at ${isMax ? 'most' : 'least'} ${bound}`
  }
  const limit = issue.inclusive === false ? Number(bound) + (isMax ? -1 : 1) : Number(bound)
  if (!isMax && limit === 1) return 'must not be empty'
  const measure = issue.exact === true ? 'exactly' : isMax ? 'at most' : 'at least'
  return `must have ${measure} ${limit} ${unit[limit === 1 ? 0 : 1]}`
}

const formatRules: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  url: 'must be a URL',
  uuid: 'must be a UUID',
  guid: 'must be a UUID',
  datetime: 'must be a date and time with an offset, such as 2026-11-21T01:02:03Z',
  date: 'must be a date, such as 2026-11-21',
  time: 'must be a time, such as 01:02:03',
  duration: 'must be an ISO 8601 duration, such as PT5M',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
  cidrv4: 'must be an IPv4 network, such as 192.0.2.0/24',
  cidrv6: 'must be an IPv6 network, such as 2001:db8::/32',
  base64: 'must be base64',
  base64url: 'must be base64url',
  json_string: 'must be JSON',
  regex: 'does not have the expected form',
  lowercase: 'must be in lower case',
  uppercase: 'must be in upper case',
}

function formatRule(issue: Issue & { code: 'invalid_format' }): string {
  const { prefix, suffix, includes } = issue as {
    prefix?: string
    suffix?: string
    includes?: string
  }
  if (prefix !== undefined) return `must begin with "${prefix}"`
  if (suffix !== undefined) return `must end with "${suffix}"`
  if (includes !== undefined) return `must contain "${includes}"`
  return formatRules[issue.format] ?? 'does not have the expected form'
}

function valueRule(values: readonly unknown[]): string {
  const named = values
    .slice(0, valuesNamedMax)
    .map((value) => (value === '' ? '""' : String(value)))
  const [only] = named
  if (named.length === 1) return `must be ${only}`
  return `must be one of ${named.join(', ')}${values.length > valuesNamedMax ? ', …' : ''}`
}

/** For a union, the errors of the closest option; if none is close, the rules of all options. */
function unionErrors(
  schema: Schema,
  issue: Issue & { code: 'invalid_union' },
  place: string,
): FieldError[] {
  const field = fieldOf(issue.path, place)
  const union = schemaAt(schema, issue.path)
  const def = union?._zod.def as z.core.$ZodTypes['_zod']['def'] | undefined
  const options = def?.type === 'union' ? def.options : []
  const branches = issue.errors
    .map((issues, index) => ({ issues, option: options[index] }))
    .filter(({ issues }) => issues.length > 0)
  const isMiss = (branch: (typeof branches)[number]) =>
    branch.issues.some(
      ({ code, path }) =>
        path.length === 0 && (code === 'invalid_type' || code === 'invalid_value'),
    )
  const [nearest] = branches
    .filter((branch) => !isMiss(branch))
    .sort((a, b) => a.issues.length - b.issues.length)
  if (nearest?.option !== undefined) {
    const { option } = nearest
    return nearest.issues.flatMap((inner) =>
      fieldErrors(option, inner, place).map((error) => ({
        ...error,
        field:
          inner.path.length === 0 && error.field === place
            ? field
            : fieldOf([...issue.path, error.field], place),
      })),
    )
  }
  const rules = branches.flatMap(({ issues, option }) =>
    issues
      .slice(0, 1)
      .map((inner) => (option ? ruleOf(option, inner) : writtenRule(undefined, inner))),
  )
  const names = [...new Set(rules)]
  const isPlain = names.length > 0 && names.every((rule) => rule.startsWith('must be '))
  if (!isPlain) return [{ field, rule: writtenRule(undefined, issue) }]
  return [
    { field, rule: `must be ${names.map((rule) => rule.slice('must be '.length)).join(', or ')}` },
  ]
}
