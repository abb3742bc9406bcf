import { expect, test } from 'vitest'
import { parseTemplate, unknownPlaceholders } from './template.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a name',                            'Hi {{name}}!',                ['Hi ', { value: 'name', fallback: '' }, '!']],
  ['spaces within',                     '{{  name  }}',                [{ value: 'name', fallback: '' }]],
  ['an attribute',                      '{{attr.first-name_2}}',       [{ value: 'attr.first-name_2', fallback: '' }]],
  ['a fallback',          '{{ name |  you there }}',     [{ value: 'name', fallback: 'you there' }]],
  ['a bar escaped for a table',         '{{name \\| there}}',          [{ value: 'name', fallback: 'there' }]],
  ['two adjacent placeholders',             '{{name}}{{name}}',            [{ value: 'name', fallback: '' }, { value: 'name', fallback: '' }]],
  ['an unknown placeholder',            '{{foo}} {{ names }}',         ['{{foo}} {{ names }}']],
  ['an invalid key',          '{{attr.a b}}{{attr.}}',       ['{{attr.a b}}{{attr.}}']],
  ['logic of other template languages',          '{{#if name}}x{{/if}} {% x %}', ['{{#if name}}x{{/if}} {% x %}']],
  ['one brace',                         '{name}',                      ['{name}']],
  ['three braces',                      '{{{name}}}',                  ['{', { value: 'name', fallback: '' }, '}']],
  ['an empty text',                           '',                            []],
])('parses %s', (_name, template, want) => {
  expect(parseTemplate(template)).toEqual(want)
})

test('braces without a placeholder are listed once', () => {
  const text = '{{foo}} {{name}} {{foo}} {{attr.x | y}} {{ firstName }}'
  expect(unknownPlaceholders(text, 5)).toEqual(['{{foo}}', '{{ firstName }}'])
  expect(unknownPlaceholders(text, 1)).toEqual(['{{foo}}'])
})
