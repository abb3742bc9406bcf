import { expect, test } from 'vitest'
import { acceptedEncoding } from './accepted-encoding.ts'

// biome-ignore format: the columns are the point
test.each([
  [undefined,                           undefined],
  ['',                                  undefined],
  ['identity',                          undefined],
  ['gzip',                              'gzip'],
  ['gzip, deflate, br, zstd',           'br'],
  ['GZIP;q=1.0, deflate',               'gzip'],
  ['br;q=0, gzip;q=0.5',                'gzip'],
  ['br; q=0.000, gzip; q=0',            undefined],
  ['xbr, gzipped',                      undefined],
  [','.repeat(10_000),                  undefined],
] as const)('%j → %s', (header, want) => {
  expect(acceptedEncoding(header, ['br', 'gzip'])).toBe(want)
})
