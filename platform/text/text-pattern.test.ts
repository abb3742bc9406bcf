import { expect, test } from 'vitest'
import { parseTextPattern } from './text-pattern.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a group',           'a(b)',      1, /groups/],
  ['a choice',          'a|b',       1, /choices/],
  ['an anchor',         '^a',        0, /anywhere/],
  ['a count of nothing', '*a',       0, /counts nothing/],
  ['a backward count',  'a{3,2}',    1, /must not count/],
  ['a broken count',    'a{x}',      1, /must be a count/],
  ['an open list',      'a[b',       1, /needs a \]/],
  ['an empty list',     '[]',        0, /one character/],
  ['a reference',       '\\1',       0, /backslash/],
  ['nothing at all',    'a*',        0, /one character at least/],
  ['too much',          'a{129}',    0, /too long/],
  ['too much together', '\\d{80}-\\d{80}', 7, /too long/],
  ['a backward range',  '[z-a]',     1, /range/],
])('a pattern with %s is rejected at the position of the error', (_name, pattern, at, rule) => {
  expect(parseTextPattern(pattern)).toMatchObject({ kind: 'error', at, rule: expect.stringMatching(rule) })
})
