import { expect, test } from 'vitest'
import { apiTypes, type JsonSchema } from './api-types.ts'

const typeOf = (schema: JsonSchema) =>
  apiTypes({ paths: {}, components: { schemas: { Value: schema } } })
    .split('\n')
    .slice(1)
    .join('\n')
    .replace(/export interface Operations[\s\S]*$/, '')
    .replace('export type Value = ', '')
    .trim()

// biome-ignore format: the columns are the point
test.each([
  ['a text', { type: 'string', format: 'uuid' }, 'string'],
  ['a number', { type: 'integer' }, 'number'],
  ['nullable', { type: ['string', 'null'] }, '(string) | (null)'],
  ['fixed values', { type: 'string', enum: ['a', "b'"] }, `("a") | ("b'")`],
  ['one value', { const: 1 }, '1'],
  ['null as a constant', { const: null }, 'null'],
  ['a list', { type: 'array', items: { type: 'string' } }, 'readonly (string)[]'],
  ['a list of lists', { type: 'array', items: { type: 'array' } }, 'readonly (readonly (unknown)[])[]'],
  ['a map', { type: 'object', additionalProperties: { type: 'number' } }, 'Readonly<Record<string, number>>'],
  ['a free object', { type: 'object', additionalProperties: {} }, 'Readonly<Record<string, unknown>>'],
  ['anything', {}, 'unknown'],
  ['a choice', { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/A.b' }] }, '(string) | (A_b)'],
  ['an end of comment', { type: 'object', properties: { a: { type: 'string', description: 'x */ y' } } }, '{\n/** x *\\/ y */\nreadonly "a"?: string\n}'],
] as const)('%s', (_name, schema, want) => {
  expect(typeOf(schema as JsonSchema)).toBe(want)
})

test('an operation has parameters, a body and the reply of its success', () => {
  const json = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } })
  const text = apiTypes({
    paths: {
      '/items/{id}': {
        post: {
          summary: 'Create an item',
          parameters: [
            { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
            { in: 'query', name: 'limit', schema: { type: 'integer' } },
            { in: 'header', name: 'if-match', schema: { type: 'string' } },
          ],
          requestBody: json({ type: 'string' }),
          responses: { '201': json({ type: 'boolean' }), '400': json({ type: 'null' }) },
        },
        delete: { responses: { '204': {} } },
      },
    },
  })
  expect(text).toContain(`/** Create an item */
"POST /items/{id}": {
params: {"id": string}
query: {"limit"?: number}
body: string
reply: boolean
}`)
  expect(text).toContain(`"DELETE /items/{id}": {
params: {}
query: {}
body: undefined
reply: null
}`)
})
