import { expect, test } from 'vitest'
import { formatDsn } from './format-dsn.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a port',              'http://127.0.0.1:8030',       'http://key@127.0.0.1:8030/7'],
  ['the default port',    'https://in.example.test',     'https://key@in.example.test/7'],
  ['a path',              'https://example.test/a/b/',   'https://key@example.test/a/b/7'],
  ['an IPv6 address',     'http://[::1]:8030/',          'http://key@[::1]:8030/7'],
] as const)('a DSN keeps %s', (_name, ingestUrl, want) => {
  expect(formatDsn({ ingestUrl, publicKey: 'key', dsnId: 7 })).toBe(want)
})
