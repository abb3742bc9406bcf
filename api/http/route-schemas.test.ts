/**
 * Properties of the schemas of all routes: each text, number and list has a bound, and each date is
 * one that all columns hold.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'
import type { ApiInstance } from './route.ts'
import { checkedRoutes } from './validation/check-request.ts'
import { innermost, numberRange } from './validation/schema-fields.ts'

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes['_zod']['def']

interface Field {
  /** `POST /api/v1/send body.data` */
  readonly name: string
  /** With its transforms and what it is piped to. */
  readonly schema: z.ZodType
  readonly type: Def['type']
}

let app: ApiInstance
let fields: readonly Field[]

beforeAll(async () => {
  app = await appWithoutStores({ mailboxDir: '/nonexistent' })
  fields = checkedRoutes(app)
    .filter(({ method, url }) => method !== 'HEAD' && url.startsWith('/api/'))
    .flatMap(({ method, url, ...parts }) =>
      (['body', 'querystring'] as const).flatMap((part) => {
        const schema = parts[part]
        return schema instanceof z.core.$ZodType
          ? fieldsOf(schema, `${method} ${url} ${part === 'body' ? 'body' : 'query'}`)
          : []
      }),
    )
})
afterAll(() => app?.close())

function fieldsOf(schema: Schema, name: string): Field[] {
  const def = innermost(schema)._zod.def as Def
  const field = { name, schema: schema as z.ZodType, type: def.type }
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([key, inner]) => fieldsOf(inner, `${name}.${key}`))
    case 'array':
      return [field, ...fieldsOf(def.element, `${name}[]`)]
    case 'record':
      return [...fieldsOf(def.keyType, `${name} (key)`), ...fieldsOf(def.valueType, `${name}.*`)]
    case 'union':
      return def.options.flatMap((option, index) => fieldsOf(option, `${name}|${index}`))
    case 'intersection':
      return [...fieldsOf(def.left, name), ...fieldsOf(def.right, name)]
    default:
      return [field]
  }
}

const charactersMax = 1024 * 1024
const longTexts = ['a', '0', ' a', 'a.', 'é', 'a-'].map((unit) =>
  unit.repeat(Math.ceil((charactersMax + 1) / unit.length)),
)

test('every text has a bound', () => {
  const texts = fields.filter(({ type }) => type === 'string')
  expect(texts.length).toBeGreaterThan(100)
  const unbounded = texts.filter(({ schema }) =>
    longTexts.some((text) => {
      const parsed = schema.safeParse(text)
      return parsed.success && String(parsed.data).length > charactersMax
    }),
  )
  expect(unbounded.map(({ name }) => name)).toEqual([])
})

test('every number has both bounds, within the safe integers of JSON', () => {
  const numbers = fields.filter(({ type }) => type === 'number')
  expect(numbers.length).toBeGreaterThan(30)
  const unbounded = numbers.filter(({ name, schema }) => {
    if (isFreeForm(name)) return false
    const { from, to } = numberRange(schema) ?? {}
    return from === undefined || to === undefined || Number.MAX_SAFE_INTEGER <= to
  })
  expect(unbounded.map(({ name }) => name)).toEqual([])
})

/** Values that are stored as JSON and may contain any number. */
function isFreeForm(name: string): boolean {
  return /\.(?:attribs|data)\.\*/.test(name)
}

test('every list has a bound', () => {
  const lists = fields.filter(({ type }) => type === 'array')
  expect(lists.length).toBeGreaterThan(5)
  const unbounded = lists.filter(({ schema }) => {
    const def = innermost(schema)._zod.def as z.core.$ZodArrayDef
    return !(def.checks ?? []).some(({ _zod }) => _zod.def.check === 'max_length')
  })
  expect(unbounded.map(({ name }) => name)).toEqual([])
})

// biome-ignore format: the columns are the point
const hostileDates = [
  '', 'now', 'infinity', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '1899-12-31T23:59:59Z', '9999-12-31T23:59:59Z',
  '+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z',
  '2026-11-21T24:00:00Z', '2026-11-21T00:00:00', '2026-11-21', '2026-11-21T00:00:00+21:40', '2026-11-21T00:00:00-14:01',
  '1900-01-01T00:00:00+14:00', '2299-12-31T23:59:59-14:00', `2026-11-21T01:02:03.${'1'.repeat(100)}Z`, '1764000000',
]

test('every date is one that Postgres and ClickHouse hold', () => {
  const dates = fields.filter(
    ({ schema }) => 'format' in innermost(schema)._zod.def && formatOf(schema) === 'datetime',
  )
  expect(dates.length).toBeGreaterThan(10)
  for (const { name, schema } of dates) {
    const taken = hostileDates.filter((text) => schema.safeParse(text).success)
    expect([name, taken]).toEqual([name, []])
    expect([name, schema.safeParse('2026-11-21T01:02:03.456+14:00').success]).toEqual([name, true])
  }
})

function formatOf(schema: Schema): unknown {
  return (innermost(schema)._zod.def as { format?: unknown }).format
}
