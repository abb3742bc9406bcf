import { expect, test } from 'vitest'
import { markChanges } from './mark-changes.ts'

const event = {
  message: 'a [Filtered]',
  empty: [{}, [], null],
  'a/b~c': { 'k"': ['x', '[Filtered]'] },
  n: 1.5,
}

test('without changes it is one piece of readable JSON', () => {
  expect(markChanges(event, [])).toEqual([{ text: JSON.stringify(event, null, 2) }])
})

test('changed values are pieces with their rules, and the text stays the same', () => {
  const pieces = markChanges(event, [
    { path: '/message', rules: ['pattern 1'] },
    { path: '/a~1b~0c/k"/1', rules: ['IP address', 'pattern 1'] },
    { path: '/gone', rules: ['of another event'] },
  ])
  expect(pieces.filter(({ rules }) => rules !== undefined)).toEqual([
    { text: '"a [Filtered]"', rules: ['pattern 1'] },
    { text: '"[Filtered]"', rules: ['IP address', 'pattern 1'] },
  ])
  expect(pieces.map(({ text }) => text).join('')).toBe(JSON.stringify(event, null, 2))
})

test.each([[{}], [[]], [null], ['text'], [3]])('%j is written as JSON writes it', (value) => {
  expect(markChanges(value, [])).toEqual([{ text: JSON.stringify(value, null, 2) }])
})
