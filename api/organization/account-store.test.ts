import { expect, test } from 'vitest'
import { formatDsn, freeShortName } from './account-store.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a word',                           'Shop',                              [],                'SHOP'],
  ['several words',                    'Web shop (EU)',                     [],                'WEB-SHOP-EU'],
  ['accents',                          'Café Zürich',                       [],                'CAFE-ZURICH'],
  ['no letter that fits',              '日本',                               [],                'PROJECT'],
  ['a long name is cut', 'The very long name of a project',   [],                'THE-VERY-LONG-NAME-O'],
  ['no dash at the end',               'abcdefghijklmnopqrs tuv',           [],                'ABCDEFGHIJKLMNOPQRS'],
  ['a name that is taken',             'Shop',                              ['SHOP'],          'SHOP2'],
  ['a name that is taken twice',       'Shop',                              ['SHOP', 'SHOP2'], 'SHOP3'],
] as const)('short name of %s', (_name, name, taken, want) => {
  expect(freeShortName(name, new Set(taken))).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['a port',              'http://127.0.0.1:8030',       'http://key@127.0.0.1:8030/7'],
  ['the default port',    'https://in.example.test',     'https://key@in.example.test/7'],
  ['a path',              'https://example.test/a/b/',   'https://key@example.test/a/b/7'],
  ['an IPv6 address',     'http://[::1]:8030/',          'http://key@[::1]:8030/7'],
] as const)('a DSN keeps %s', (_name, ingestUrl, want) => {
  expect(formatDsn({ ingestUrl, publicKey: 'key', dsnId: 7 })).toBe(want)
})
