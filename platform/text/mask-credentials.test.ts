import { expect, test } from 'vitest'
import { maskCredentials } from './mask-credentials.ts'

// biome-ignore format: the columns are the point
test.each([
  ['no URL at all',                   'no URL at all'],
  ['http://host/path',                'http://host/path'],
  ['at http://u:p@host/x, then',      'at http://…@host/x, then'],
  ['pg://u:p@ss/w@rd@host',           'pg://…@host'],
  ['a@b.test and http://host',        'a@b.test and http://host'],
  ['://@',                            '://…@'],
  ['two nats://a:b@c nats://d:e@f',   'two nats://…@c nats://…@f'],
  ['',                                ''],
])('%s', (text, masked) => {
  expect(maskCredentials(text)).toBe(masked)
})

test('takes linear time', () => {
  expect(maskCredentials('://'.repeat(1_000_000))).toHaveLength(3_000_000)
})
