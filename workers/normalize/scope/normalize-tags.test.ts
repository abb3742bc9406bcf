import { expect, test } from 'vitest'
import { tagsPerEventMax } from '#schemas/limits.ts'
import { Notes } from '../values/notes.ts'
import { readTags } from './normalize-tags.ts'

const read = (tags: unknown, site?: unknown) => readTags({ tags, site }, new Notes())

// biome-ignore format: the columns are the point
test.each([
  ['a map                              ', { a: 'b' }, [['a', 'b']]],
  ['pairs, with nulls between          ', [['a', 'b'], null, ['c', 1]], [['a', 'b'], ['c', '1']]],
  ['objects of key and value           ', [{ key: 'a', value: 'b' }], [['a', 'b']]],
  ['numbers and booleans become text   ', { a: 1.5, b: true, c: 1e21 }, [['a', '1.5'], ['b', 'true'], ['c', '1000000000000000000000']]],
  ['null, objects and lists are dropped', { a: null, b: {}, c: [], d: 'x' }, [['d', 'x']]],
  ['blanks in a key become dashes      ', { ' my key ': 'x' }, [['my-key', 'x']]],
  ['other signs make a key invalid     ', { 'a!': 'x', 'ä': 'x', '': 'x' }, []],
  ['line breaks leave a value          ', { a: ' one\r\ntwo\n' }, [['a', 'one two']]],
  ['an empty value is no tag           ', { a: '  ' }, []],
  ['the first of equal keys wins       ', [['a', '1'], ['a', '2'], [' a', '3']], [['a', '1']]],
  ['attributes are no tags             ', { release: 'r', dist: 'd', user: 'u', filename: 'f', function: 'g' }, []],
  ['200 characters                     ', { a: 'x'.repeat(200) }, [['a', 'x'.repeat(200)]]],
  ['201 characters are cut             ', { a: 'x'.repeat(201) }, [['a', `${'x'.repeat(199)}…`]]],
  ['no pair is cut into halves         ', { a: `${'x'.repeat(198)}😀${'y'.repeat(9)}` }, [['a', `${'x'.repeat(198)}…`]]],
  ['a number is no list of tags        ', 5, []],
] as const)('%s', (_name, tags, want) => {
  expect(read(tags).tags).toEqual(want)
})

test('the tag environment becomes the attribute, the old site a tag', () => {
  expect(read({ environment: 'prod' }, 'eu')).toEqual({
    tags: [['site', 'eu']],
    environment: 'prod',
  })
})

test('a hundred tags are kept, one more is not', () => {
  const tags = Array.from({ length: tagsPerEventMax + 1 }, (_, index) => [`t${index}`, 'v'])
  expect(read(tags).tags).toEqual(tags.slice(0, tagsPerEventMax))
})
