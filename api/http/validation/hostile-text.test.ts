import { describe, expect, test } from 'vitest'
import { findHostileText, hasBrokenEncoding, nestingLevelsMax } from './hostile-text.ts'
import { parseJsonBody } from './json-body.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a plain text',                     'x',                                   undefined],
  ['a text with a pair of surrogates', { a: 'a😀' },                          undefined],
  ['a control character',              { a: '\u0001' },                       undefined],
  ['NUL at the top',                   'a\0',                                 'body'],
  ['NUL in a list',                    { a: [{ b: 'x\0' }] },                 'a.0.b'],
  ['the first half of a pair',         { a: { b: '\ud83d' } },                'a.b'],
  ['the second half of a pair',        ['x', '\ude00'],                       '1'],
  ['NUL in a name',                    { a: { 'b\0': 1 } },                   'a'],
  ['__proto__',                        JSON.parse('{"a":{"__proto__":1}}'),   'a.__proto__'],
  ['constructor',                      { constructor: 1 },                    'constructor'],
  ['prototype',                        { a: [{ prototype: {} }] },            'a.0.prototype'],
  ['bytes',                            Buffer.from('a\0'),                    undefined],
  ['nothing',                          undefined,                             undefined],
] as const)('%s', (_name, value, field) => {
  expect(findHostileText(value, 'body')?.field).toBe(field)
})

test('nesting is bounded, and deep nesting overflows no stack', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  expect(findHostileText(nested(nestingLevelsMax), 'body')).toBeUndefined()
  expect(findHostileText(nested(20_000), 'body')).toEqual({
    field: 'body',
    rule: `must have at most ${nestingLevelsMax} levels of nesting`,
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['a=b&c=%20%C3%A9', false],
  ['a=100%',          false],
  ['a=%zz',           false],
  ['a=%ff',           true],
  ['a=%C3',           true],
  ['a=%C3x%A9',       true],
  ['a=%ED%A0%80',     true],
  ['%C0%80=1',        true],
] as const)('%s is broken: %s', (query, want) => {
  expect(hasBrokenEncoding(query)).toBe(want)
})

describe('a JSON body', () => {
  test('is UTF-8, with or without a byte order mark', () => {
    expect(parseJsonBody(Buffer.from('\ufeff{"a":"é"}'))).toEqual({ a: 'é' })
    expect(parseJsonBody(Buffer.alloc(0))).toBeUndefined()
  })

  test('of other bytes is refused instead of stored with replacement characters', () => {
    expect(() => parseJsonBody(Buffer.from('{"a":"\xe9"}', 'latin1'))).toThrow(
      'The body is not valid UTF-8.',
    )
    expect(() => parseJsonBody(Buffer.from('{"a":'))).toThrow('The request body is not valid JSON.')
  })

  test('cannot reach the prototype of an object', () => {
    const body = parseJsonBody(Buffer.from('{"__proto__":{"admin":true}}')) as { admin?: boolean }
    expect(body.admin).toBeUndefined()
    expect(findHostileText(body, 'body')?.field).toBe('__proto__')
  })
})
