import { expect, test } from 'vitest'
import { originsOf } from './origins-of.ts'

test.each([
  ['', []],
  [' \n ,, \n', []],
  ['https://a.example\nhttps://b.example', ['https://a.example', 'https://b.example']],
  [
    'https://a.example, https://a.example ,\r\nhttps://b.example',
    ['https://a.example', 'https://b.example'],
  ],
])('%j', (text, origins) => {
  expect(originsOf(text)).toEqual(origins)
})
