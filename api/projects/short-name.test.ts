import { expect, test } from 'vitest'
import { freeShortName } from './short-name.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a word',                           'Shop',                              [],                'SHOP'],
  ['several words',                    'Web shop (EU)',                     [],                'WEB-SHOP-EU'],
  ['accents',                          'Café Zürich',                       [],                'CAFE-ZURICH'],
  ['no Latin character',              '日本',                               [],                'PROJECT'],
  ['a long name is cut', 'The very long name of a project',   [],                'THE-VERY-LONG-NAME-O'],
  ['no dash at the end',               'abcdefghijklmnopqrs tuv',           [],                'ABCDEFGHIJKLMNOPQRS'],
  ['a name that is taken',             'Shop',                              ['SHOP'],          'SHOP2'],
  ['a name that is taken twice',       'Shop',                              ['SHOP', 'SHOP2'], 'SHOP3'],
] as const)('the short name of a project: %s', (_name, name, taken, want) => {
  expect(freeShortName(name, new Set(taken))).toBe(want)
})
