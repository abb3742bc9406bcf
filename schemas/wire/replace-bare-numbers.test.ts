import { expect, test } from 'vitest'
import { replaceBareNumbers } from './replace-bare-numbers.ts'

// biome-ignore format: the columns are the point
test.each([
  ['each kind of them        ', '{"a":NaN,"b":[-Infinity,Infinity]}', '{"a":null,"b":[null,null]}'],
  ['not inside strings       ', '{"a":"NaN \\" Infinity","b":NaN}',   '{"a":"NaN \\" Infinity","b":null}'],
  ['not as a part of a word  ', '[NaNa,Infinity2,NaN.5]',             '[NaNa,Infinity2,NaN.5]'],
  ['nothing to do            ', '{"a":-1}',                           '{"a":-1}'],
  ['an unclosed string stays ', '{"a":NaN,"NaN',                      '{"a":null,"NaN'],
  ['an escape at the very end', '["\\',                               '["\\'],
  ['no text                  ', '',                                   ''],
] as const)('bare numbers become null: %s', (_name, text, want) => {
  expect(replaceBareNumbers(text)).toBe(want)
})

test('a megabyte of escaped quotes is one pass', () => {
  const text = `{"${'\\"'.repeat(500_000)}`
  // A backtracking pattern would take hours, so the runner's timeout detects it.
  expect(replaceBareNumbers(text)).toBe(text)
})
