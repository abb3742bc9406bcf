import { expect, test } from 'vitest'
import { mayMeanAddress } from './may-mean-address.ts'

// biome-ignore format: the columns are the point
test.each([
  ['a browser means its address',              'sentry.javascript.react/10.1.0',  '{}',                                    true],
  ['a phone does too',                         'sentry.cocoa/8.0.0',              '{}',                                    true],
  ['so does whoever does not say what it is',  '',                                '{}',                                    true],
  ['a Java SDK may run on Android',            'sentry.java.android/8.0.0',       '{}',                                    true],
  ['a server means another machine',           'sentry.javascript.node/10.78.0',  '{"user":{"id":"1"}}',                   false],
  ['unless it says so',                        'sentry.python/2.64.0',            '{"user":{"ip_address":"{{auto}}"}}',    true],
  ['a large event is not searched',            'sentry.python/2.64.0',            ' '.repeat(5000),                        true],
  ['a name that only begins alike is another', 'sentry.golang-clone/1',           '{}',                                    true],
] as const)('%s', (_name, client, text, want) => {
  expect(mayMeanAddress(client, Buffer.from(text))).toBe(want)
})
