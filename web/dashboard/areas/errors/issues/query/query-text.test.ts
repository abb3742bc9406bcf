import { describe, expect, test } from 'vitest'
import { parseSearch } from '#schemas/search/search-query.ts'
import { quoteValue, termsOf, valuesOf } from './query-text.ts'

const written = (query: string) => termsOf(query).map(({ start, end }) => query.slice(start, end))

test.each([
  ['', []],
  ['  ', []],
  ['is:unresolved level:error', ['is:unresolved', 'level:error']],
  ['browser:"Internet Explorer" x', ['browser:"Internet Explorer"', 'x']],
  ['browser:"open', ['browser:"open']],
  ['level:[error, fatal] !environment:dev', ['level:[error, fatal]', '!environment:dev']],
  ['level:[error, "a ] b"', ['level:[error, "a ] b"']],
  ['tags[level]:high', ['tags[level]:high']],
  ['http://x.test/a', ['http://x.test/a']],
  ['a "b \\" c" d', ['a', '"b \\" c"', 'd']],
  ['level:', ['level:']],
  ['times_seen:>=10', ['times_seen:>=10']],
  ['!', ['!']],
  ['a:1 (b:2 OR !(c:3 d))', ['a:1', 'b:2', 'OR', 'c:3', 'd']],
  ['pay() (pay() x)', ['pay()', 'pay()', 'x']],
  ['(a:"x y")', ['a:"x y"']],
  ['(level:', ['level:']],
  ['x:a)', ['x:a)']],
  ['is:\u202e<script>', ['is:\u202e<script>']],
])('the terms of %j', (query, terms) => {
  expect(written(query)).toEqual(terms)
})

test.each([
  ['level:error', ['error']],
  ['level:[error, fatal]', ['error', 'fatal']],
  ['level:[error,', ['error']],
  ['release:"a b"', ['a b']],
  ['release:"say \\"x\\" \\*"', ['say "x" *']],
  ['release:a\\*', ['a*']],
  ['times_seen:>100', ['100']],
  ['level:', ['']],
])('the values of %j', (query, values) => {
  expect(valuesOf(query, termsOf(query)[0]!)).toEqual(values)
})

describe('a written value', () => {
  test.each([
    'error',
    'Internet Explorer',
    'say "hi"',
    'C:\\temp\\',
    'a*b',
    '\\*',
    '[x]',
    '>100',
    '=',
    'x,y',
    '!important',
    '  ',
    'shop@1.0.0+7',
    '<script>alert(1)</script>',
  ])('%j means itself to the API', (value) => {
    const query = `release:${quoteValue(value)} level:error`
    const parsed = parseSearch(query)
    expect(parsed).toMatchObject({
      kind: 'query',
      terms: [{ field: 'release', operator: '=', values: [{ pieces: [value] }] }, {}],
    })
    expect(valuesOf(query, termsOf(query)[0]!)).toEqual([value])
  })
})
