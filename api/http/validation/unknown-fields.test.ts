/**
 * How routes treat unknown fields. Generated from the documentation: each route
 * is in one of two classes, and behaves so.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ApiDocument, type Operation } from '../../../test/fixtures/api-document.ts'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import {
  credentialsOf,
  fillTenant,
  makeSide,
  type Side,
} from '../../../test/fixtures/filled-tenant.ts'
import { closestName } from './closest-name.ts'
import { unknownFields } from './schema-fields.ts'
import { unknownFieldPolicy } from './unknown-field-policy.ts'

const api = apiOfThisFile()
const mark = 'unknown-fields'
let side: Side
let ids: Map<string, string>
let document: ApiDocument
let callCount = 0

beforeAll(async () => {
  document = new ApiDocument(api().app)
  side = await makeSide(api(), 'Unknown fields')
  ids = await fillTenant(api(), side, mark)
})

/** Files come in whole, and logging out would end the test. */
const withoutFields = /\/import$|\/imports$|\/logout$|^\/hooks\//

async function callWithUnknown(operation: Operation, place: 'query' | 'body') {
  callCount += 1
  api().time.nowMs += 61_000
  const path = operation.template.replace(/\{(.+?)\}/g, (_all, name: string) => {
    const parts = operation.template.split('/')
    return ids.get(name) ?? ids.get(parts[parts.indexOf(`{${name}}`) - 1] ?? '') ?? 'x'
  })
  return api().call(place === 'query' ? `${path}?nonsense=1` : path, {
    method: operation.method,
    ...credentialsOf(side, operation.security),
    address: `2001:db8:${callCount.toString(16)}::1`,
    ...(place === 'query' ? {} : { body: { ...(operation.example as object), nonsense: 1 } }),
  })
}

test('every route refuses or names them, depending on its class only', async () => {
  const wrong: unknown[] = []
  const counts = { refuse: 0, ignore: 0 }
  // Deletions are last, because the other routes need the ids.
  const operations = document.operations
    .filter(({ template }) => !withoutFields.test(template))
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  for (const operation of operations) {
    const policy = unknownFieldPolicy(operation.template.replaceAll('{', ':').replaceAll('}', ''))
    counts[policy] += 1
    for (const place of operation.method === 'GET'
      ? (['query'] as const)
      : (['query', 'body'] as const)) {
      const { status, body, headers } = await callWithUnknown(operation, place)
      const isRefused = status === 400 && body.details?.[0]?.field === 'nonsense'
      const isNamed = headers['sluice-ignored-fields'] === 'nonsense'
      const isRight = policy === 'refuse' ? isRefused && !isNamed : isNamed && !isRefused
      // A gate that says 404 before the fields are looked at is right for both classes.
      if (!isRight && status !== 404) wrong.push([operation.name, place, policy, status, body])
    }
  }
  expect(wrong).toEqual([])
  expect(counts.refuse).toBeGreaterThan(100)
  expect(counts.ignore).toBeGreaterThan(10)
})

// biome-ignore format: the columns are the point
test.each([
  ['/api/v1/admin/email/campaigns/:campaign_id/send', 'refuse'],
  ['/api/v1/organization',                            'refuse'],
  ['/api/v1/organization/tokens/:id',                 'refuse'],
  ['/api/v1/projects/:project_id/issues',             'refuse'],
  ['/api/v1/send',                                    'refuse'],
  ['/api/v1/campaigns',                               'refuse'],
  ['/api/v1/login',                                   'refuse'],
  ['/login',                                          'refuse'],
  ['/api/v1/me',                                      'refuse'],
  ['/api/v1/projects/:project_id/feedback',           'ignore'],
  ['/api/v1/projects/:project_id/feedback/:feedback_id', 'ignore'],
  ['/api/v1/contacts',                                'ignore'],
  ['/api/v1/bounces',                                 'ignore'],
  ['/api/v1/p/:project_key/ideas',                    'ignore'],
  ['/health',                                         'ignore'],
] as const)('%s: %s', (path, policy) => {
  expect(unknownFieldPolicy(path)).toBe(policy)
})

describe('sending a campaign', () => {
  test.each([
    ['scheduleAt', 'scheduledAt'],
    ['scheduled_at', 'scheduledAt'],
    ['ratePersecond', 'ratePerSecond'],
  ])('%s is refused, and %s is proposed; nothing is sent', async (name, meant) => {
    const path = `/api/v1/admin/email/campaigns/${ids.get('campaigns')}`
    const { login } = side
    const answer = await api().call(`${path}/send`, {
      method: 'POST',
      login,
      body: { [name]: '2030-01-01T00:00:00Z' },
    })
    expect([answer.status, answer.body.error]).toEqual([
      400,
      `\`${name}\`: unknown field. Did you mean \`${meant}\`?`,
    ])
  })
})

test('nested fields are named by their path, and the header stays a header', async () => {
  const { body, headers, status } = await api().call('/api/v1/contacts', {
    method: 'POST',
    ...credentialsOf(side, 'apiKey'),
    body: {
      newsletter: mark,
      email: 'nested@example.test',
      attribs: { anything: 1 },
      'a,b\r\nX-Injected': 1,
      größe: { deep: 1 },
      ...Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`many-${nth}`, 1])),
    },
  })
  expect([status, body.status]).toEqual([201, 'subscribed'])
  const text = String(headers['sluice-ignored-fields'])
  expect(text).toMatch(/^a%2Cb%0D%0AX-Injected, gr%C3%B6%C3%9Fe, many-0, many-1, /)
  expect(text.split(', ')).toHaveLength(20)
})

const Shape = z.strictObject({
  name: z.string().optional(),
  free: z.record(z.string(), z.unknown()).optional(),
  open: z.looseObject({ known: z.string() }).optional(),
  list: z
    .array(z.object({ id: z.string() }))
    .max(3)
    .default([]),
  either: z
    .union([
      z.string(),
      z.object({ kind: z.literal('a'), a: z.string() }),
      z.object({ kind: z.literal('b'), b: z.string() }),
    ])
    .nullish(),
  both: z
    .intersection(
      z.object({ left: z.string() }),
      z.object({ right: z.object({ inner: z.string() }) }),
    )
    .optional(),
  piped: z
    .preprocess((value) => value, z.object({ x: z.string() }))
    .transform(({ x }) => x)
    .optional(),
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing unknown',        { name: 'x', list: [{ id: '1' }] },                        []],
  ['at the top',             { nam: 'x' },                                              ['nam']],
  ['in a list',              { list: [{ id: '1' }, { id: '2', idd: '3' }] },            ['list.1.idd']],
  ['in a free-form object',  { free: { a: { b: 1 } } },                                 []],
  ['in a loose object',      { open: { known: 'x', more: 1 } },                         []],
  ['in one of a union',      { either: { kind: 'b', b: 'x', a: 'y' } },                 ['either.a']],
  ['in no option',           { either: { kind: 'c', b: 'x', z: 'y' } },                 ['either.z']],
  ['in an intersection',     { both: { left: 'x', right: { inner: 'y', z: 1 }, w: 1 } }, ['both.right.z', 'both.w']],
  ['behind a transform',     { piped: { x: 'a', y: 'b' } },                             ['piped.y']],
  ['a name of all objects',  { toString: 1, hasOwnProperty: 1 },                        ['toString', 'hasOwnProperty']],
  ['of an invalid value',     'text',                                                   []],
] as const)('unknown fields: %s', (_name, value, want) => {
  expect(unknownFields(Shape, value).map(({ path }) => path.join('.')).sort()).toEqual([...want].sort())
})

// biome-ignore format: the columns are the point
test.each([
  ['scheduleAt',   ['scheduledAt', 'force'],  'scheduledAt'],
  ['preview_text', ['previewText', 'html'],   'previewText'],
  ['ofset',        ['limit', 'offset'],       'offset'],
  ['lable',        ['label', 'scopes'],       'label'],
  ['nonsense',     ['label', 'scopes'],       undefined],
  ['x'.repeat(99), ['label'],                 undefined],
  ['a',            [],                        undefined],
] as const)('%s was probably meant as one of %j: %s', (name, known, want) => {
  expect(closestName(name, known)).toBe(want)
})
