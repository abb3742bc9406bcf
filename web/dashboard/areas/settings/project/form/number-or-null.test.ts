import { expect, test } from 'vitest'
import { numberOrNull } from './number-or-null.ts'

test.each([
  ['', null],
  ['  ', null],
  ['30', 30],
  [' 30 ', 30],
  ['-1', -1],
  ['007', 7],
  ['1e9', '1e9'],
  ['1.5', '1.5'],
  ['many', 'many'],
  ['9'.repeat(400), '9'.repeat(400)],
])('%j is sent as %j', (text, value) => {
  expect(numberOrNull(text)).toBe(value)
})
