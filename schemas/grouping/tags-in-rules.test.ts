import { expect, test } from 'vitest'
import { tagsInRules } from './tags-in-rules.ts'

// biome-ignore format: the columns are the point
test.each([
  ['no tags',                  'type:A -> {{ default }}, tags.a',                []],
  ['a matcher',                'tags.Team:a !tags.team:b -> x',                  ['1 Team', '1 team']],
  ['a part of the fingerprint', 'type:A -> {{ default }}, {{tags.a b}}',          ['1 a b']],
  ['a title',                  'type:A -> x title="{{ tags.a }} {{ type }}"',    ['1 a']],
  ['one tag twice in a line',  'tags.a:b -> {{ tags.a }}\ntags.a:c -> x',        ['1 a', '2 a']],
  ['comments and other lines', '# tags.a:b -> x\nnothing\ntags.c:d -> x',        ['3 c']],
])('the tags of %s', (_name, text, tags) => {
  expect(tagsInRules(text).map(({ line, key }) => `${line} ${key}`)).toEqual(tags)
})
