import { expect, test } from 'vitest'
import { readTags } from './read-tags.ts'

test.each([
  ['', {}],
  [' , \n', {}],
  ['component=worker', { component: 'worker' }],
  [' component = worker , region=eu,', { component: 'worker', region: 'eu' }],
  ['url=https://a.test/?b=c', { url: 'https://a.test/?b=c' }],
  ['a=1,a=2', { a: '2' }],
])('%j', (text, tags) => {
  expect(readTags(text)).toEqual({ kind: 'tags', tags })
})

test.each(['component', '=worker', 'component=', 'a=1, b'])('%j is no list of tags', (text) => {
  expect(readTags(text)).toMatchObject({ kind: 'error' })
})

test('a key such as __proto__ is an ordinary one', () => {
  const read = readTags('__proto__=x')
  expect(read.kind === 'tags' && Object.entries(read.tags)).toEqual([['__proto__', 'x']])
})
