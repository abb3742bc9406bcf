import { expect, test } from 'vitest'
import { matchesEtag, weakEtag } from './etag.ts'

test('a tag depends on the whole body and on nothing else', () => {
  expect(weakEtag('a')).toBe(weakEtag(Buffer.from('a')))
  expect(weakEtag('a')).not.toBe(weakEtag('b'))
  expect(weakEtag('a')).toMatch(/^W\/"[\w-]{22}"$/)
})

// biome-ignore format: the columns are the point
test.each([
  [undefined,           false],
  ['',                  false],
  ['*',                 true],
  ['W/"a"',             true],
  ['"a"',               true],
  ['"b", W/"a" , "c"',  true],
  ['"b"',               false],
  ['a',                 false],
  ['W/"A"',             false],
] as const)('If-None-Match %j', (header, want) => {
  expect(matchesEtag(header, 'W/"a"')).toBe(want)
})
