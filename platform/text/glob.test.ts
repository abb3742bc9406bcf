import { expect, test } from 'vitest'
import { compileGlob } from './glob.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a*c',      'abbc',    true],
  ['a*c',      'abbcd',   false],
  ['A*',       'abc',     true],
  ['*b*',      'abc',     true],
  ['ab*bc',    'abc',     false],
  ['abc',      'ABC',     true],
  ['1.2.*',    '1.2.3',   true],
  ['1.2.*',    '1x2.3',   false],
])('the glob %s and %s', (glob, text, want) => {
  expect(compileGlob(glob)(text)).toBe(want)
})
