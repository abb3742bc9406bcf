import { expect, test } from 'vitest'
import { completionsOf, mergeTagsOf, openTagBefore } from './merge-tags.ts'

test('attributes with values, the most frequent first', () => {
  const contacts = [
    { name: 'Ada', attribs: { city: 'London', plan: 'pro', empty: '', none: null } },
    { name: null, attribs: { plan: 'free' } },
  ]
  expect(mergeTagsOf(contacts).map(({ tag }) => tag)).toEqual([
    '{{name}}',
    '{{name | there}}',
    '{{attr.plan}}',
    '{{attr.city}}',
  ])
  expect(mergeTagsOf([])).toHaveLength(2)
})

test('at most sixty attributes', () => {
  const attribs = Object.fromEntries(Array.from({ length: 500 }, (_, no) => [`key${no}`, 'x']))
  expect(mergeTagsOf([{ name: null, attribs }])).toHaveLength(62)
})

test.each([
  ['Hello {{', '{{'],
  ['Hello {{attr.ci', '{{attr.ci'],
  ['Hello {{name}} and {{na', '{{na'],
  ['Hello {{name}}', undefined],
  ['Hello {', undefined],
  ['', undefined],
])('%j', (line, wanted) => {
  expect(openTagBefore(line)).toBe(wanted)
})

// biome-ignore format: the columns are the point
test.each([
  ['{{',         ['{{name}}', '{{name | there}}', '{{attr.city}}']],
  ['{{ Na',      ['{{name}}', '{{name | there}}']],
  ['{{name |',   ['{{name | there}}']],
  ['{{ci',       ['{{attr.city}}']],
  ['{{attr.c',   ['{{attr.city}}']],
  ['{{nothing',  []],
])('%j is completed to %j', (open, wanted) => {
  const tags = mergeTagsOf([{ name: null, attribs: { city: 'London' } }])
  expect(completionsOf(tags, open).map(({ tag }) => tag)).toEqual(wanted)
})
