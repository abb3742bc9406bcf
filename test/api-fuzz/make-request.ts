/**
 * Builds one request for an operation: a valid request by the OpenAPI document, with a few of its
 * positions replaced by hostile values.
 */
import type { ApiDocument, JsonSchema, Operation, Parameter } from '../fixtures/api-document.ts'
import type { Random } from '../fixtures/random.ts'
import { hostileBodies, hostileText, hostileValue } from './hostile-values.ts'

export interface FuzzRequest {
  readonly method: Operation['method']
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string | Buffer | undefined
}

const hostileHeaders = [
  'idempotency-key',
  'x-csrf-token',
  'x-api-key',
  'authorization',
  'cookie',
  'origin',
  'user-agent',
  'referer',
  'accept',
  'accept-language',
  'x-forwarded-for',
  'x-request-id',
] as const
const contentTypes = [
  'text/csv',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/json',
  'x',
] as const
const depthMax = 5

export interface RequestOptions {
  readonly document: ApiDocument
  readonly random: Random
  /** The value of a path parameter; undefined lets the fuzzer choose one. */
  readonly idOf: (operation: Operation, parameter: string) => string | undefined
}

export function makeRequest(operation: Operation, options: RequestOptions): FuzzRequest {
  const { random } = options
  // One request in eight stays valid: valid requests reach the most code.
  const changes = random.chance(0.125) ? 0 : random.between(1, 3)
  const positions = Array.from({ length: changes }, () => position(operation, random))
  const headers: Record<string, string> = {}
  if (positions.includes('header')) {
    const name = hostileHeaders[random.below(hostileHeaders.length)]!
    headers[name] = headerText(hostileText(random))
  }
  const url = `${pathOf(operation, options, positions.includes('path'))}${queryOf(operation, options, positions.includes('query'))}`
  const payload = payloadOf(operation, options, {
    isHostile: positions.includes('body'),
    isWhole: positions.includes('whole body'),
  })
  if (payload !== undefined) {
    headers['content-type'] =
      positions.includes('whole body') && random.chance(0.5)
        ? contentTypes[random.below(contentTypes.length)]!
        : 'application/json'
  }
  return { method: operation.method, url, headers, payload }
}

type Position = 'path' | 'query' | 'header' | 'body' | 'whole body'

function position({ body, parameters, method }: Operation, random: Random): Position {
  const isChange = method !== 'GET'
  const positions: Position[] = [
    ...(body === undefined ? [] : (['body', 'body', 'body', 'body', 'whole body'] as const)),
    ...(isChange && body === undefined ? (['whole body'] as const) : []),
    ...parameters.flatMap((parameter) => (parameter.in === 'header' ? [] : [parameter.in])),
    'query',
    'header',
  ]
  return positions[random.below(positions.length)]!
}

/** Keeps the characters that an HTTP header can carry. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e\x80-\xff]/g, '?').slice(0, 2_000)
}

function pathOf(
  operation: Operation,
  { random, idOf }: RequestOptions,
  isHostile: boolean,
): string {
  const parameters = [...operation.template.matchAll(/\{(.+?)\}/g)].map(([, name]) => name!)
  const changed = isHostile ? parameters[random.below(parameters.length)] : undefined
  return operation.template.replace(/\{(.+?)\}/g, (_all, name: string) =>
    name === changed
      ? encoded(hostileText(random), random)
      : encoded(idOf(operation, name) ?? hostileText(random), random),
  )
}

/** Mostly percent-encoded UTF-8, sometimes bytes that are not valid UTF-8. */
function encoded(text: string, random: Random): string {
  if (random.chance(0.02)) return ['%ff%fe', '%c3', '%ed%a0%80', '%', '%zz'][random.below(5)]!
  return encodeURIComponent(text.toWellFormed())
}

function queryOf(
  { parameters }: Operation,
  { document, random }: RequestOptions,
  isHostile: boolean,
): string {
  const known = parameters.filter((parameter) => parameter.in === 'query')
  const given: [name: string, value: string][] = known
    .filter(({ required }) => required === true || random.chance(0.3))
    .map((parameter) => [parameter.name, sampleText(parameter, document, random)])
  if (isHostile) {
    const name = random.chance(0.2) ? hostileText(random) : known[random.below(known.length)]?.name
    given.push([name ?? 'unknown', hostileText(random)])
  }
  if (given.length === 0) return ''
  return `?${given.map(([name, value]) => `${encoded(name, random)}=${encoded(value, random)}`).join('&')}`
}

function sampleText({ schema }: Parameter, document: ApiDocument, random: Random): string {
  const value = sampleOf(schema, { document, random, depth: 0 })
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function payloadOf(
  { body, example, method }: Operation,
  { document, random }: RequestOptions,
  { isHostile, isWhole }: { isHostile: boolean; isWhole: boolean },
): string | Buffer | undefined {
  if (isWhole) return hostileBodies[random.below(hostileBodies.length)]
  if (body === undefined) return method === 'GET' || random.chance(0.7) ? undefined : '{}'
  const sampled = sampleOf(body, { document, random, depth: 0 })
  const value = random.chance(0.5)
    ? mergedOf(structuredClone(example), sampled, random)
    : (structuredClone(example) ?? sampled)
  if (!isHostile) return JSON.stringify(value)
  return JSON.stringify(withHostile(value, { document, random, schema: body }))
}

/** The example, with some of the optional fields that it leaves out. */
function mergedOf(example: unknown, sampled: unknown, random: Random): unknown {
  if (!isObject(example) || !isObject(sampled)) return example ?? sampled
  for (const [name, value] of Object.entries(sampled)) {
    if (!(name in example) && random.chance(0.4)) example[name] = value
  }
  return example
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `value` with one position, at any depth, or one field of its schema replaced. */
function withHostile(
  value: unknown,
  options: { document: ApiDocument; random: Random; schema: JsonSchema },
): unknown {
  const { document, random, schema } = options
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const index = random.below(value.length)
    const inner = document.resolve(schema).items ?? {}
    return value.map((item, at) =>
      at === index ? withHostile(item, { ...options, schema: inner }) : item,
    )
  }
  if (!isObject(value) || random.chance(0.05)) return hostileValue(random)
  const properties = document.resolve(schema).properties ?? {}
  const names = [...new Set([...Object.keys(value), ...Object.keys(properties)])]
  const name = random.chance(0.1) ? hostileText(random) : (names[random.below(names.length)] ?? 'x')
  const inner = properties[name] ?? {}
  const next =
    typeof value[name] === 'object' && random.chance(0.6)
      ? withHostile(value[name], { ...options, schema: inner })
      : hostileValue(random)
  return { ...value, [name]: next }
}

/** A value of the schema's type. Formats and bounds are mostly ignored. */
function sampleOf(
  schema: JsonSchema,
  options: { document: ApiDocument; random: Random; depth: number },
): unknown {
  const { document, random, depth } = options
  const resolved = document.resolve(schema)
  const inside = { ...options, depth: depth + 1 }
  if (resolved.const !== undefined) return resolved.const
  if (resolved.enum !== undefined) return resolved.enum[random.below(resolved.enum.length)]
  const choices = resolved.anyOf ?? resolved.oneOf
  if (choices !== undefined) return sampleOf(choices[random.below(choices.length)]!, inside)
  if (resolved.allOf !== undefined) {
    return Object.assign({}, ...resolved.allOf.map((part) => sampleOf(part, inside)))
  }
  const type = Array.isArray(resolved.type) ? resolved.type[0] : resolved.type
  switch (type) {
    case 'object':
      if (depth >= depthMax) return {}
      return Object.fromEntries(
        Object.entries(resolved.properties ?? {}).map(([name, part]) => [
          name,
          sampleOf(part, inside),
        ]),
      )
    case 'array':
      return depth >= depthMax || resolved.items === undefined
        ? []
        : [sampleOf(resolved.items, inside)]
    case 'integer':
    case 'number':
      return random.between(0, 100)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return sampleString(resolved, random)
  }
}

function sampleString({ format }: JsonSchema, random: Random): string {
  if (format === 'date-time') return '2026-11-20T10:00:00Z'
  if (format === 'uuid') return '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
  if (format === 'email') return 'ada@example.com'
  const words = ['x', 'ada@example.com', 'https://example.com/a', 'Hello there', 'hour', 'a-1']
  return words[random.below(words.length)]!
}
