import { expect, test } from 'vitest'
import { proxyList } from '#platform/http/forwarded-address.ts'
import { caseProxies, forwardedCases } from '../../test/fixtures/forwarded-cases.ts'
import { clientAddress, mayMeanAddress, parseAddress } from './client-address.ts'

const isTrusted = proxyList(caseProxies)
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

// biome-ignore format: the columns are the point
test.each([
  ['IPv4              ', '192.0.2.7',             'c0000207'],
  ['IPv4 with port    ', '192.0.2.7:8080',        'c0000207'],
  ['IPv6              ', '2001:db8::1',           '20010db8000000000000000000000001'],
  ['IPv6 in full      ', '1:2:3:4:5:6:7:8',       '00010002000300040005000600070008'],
  ['IPv6 with port    ', '[::1]:80',              '00000000000000000000000000000001'],
  ['IPv6 with zone    ', 'fe80::1%eth0',          'fe800000000000000000000000000001'],
  ['IPv4 inside IPv6  ', '::ffff:192.0.2.7',      'c0000207'],
  ['everything zero   ', '::',                    '0'.repeat(32)],
  ['a name            ', 'localhost',             undefined],
  ['nothing           ', '',                      undefined],
  ['a number too high ', '256.1.1.1',             undefined],
  ['two gaps          ', '1::2::3',               undefined],
] as const)('an address is read from text: %s', (_name, text, want) => {
  expect(hex(parseAddress(text))).toBe(want)
})

test.each(forwardedCases)('the client is found: %s', (_why, peer, header, want) => {
  const bytes = clientAddress(socketBytes(peer), header, isTrusted)
  expect(hex(bytes)).toBe(hex(header === '' ? socketBytes(peer) : parseAddress(want)))
})

test('without a header the bytes of the socket are returned', () => {
  const peer = socketBytes('::ffff:10.0.0.1')
  expect(clientAddress(peer, '', isTrusted)).toBe(peer)
})

/** A dual-stack socket reports IPv4 peers as 16 bytes. */
function socketBytes(text: string): Uint8Array {
  const bytes = parseAddress(text)!
  return text.startsWith('::ffff:')
    ? Uint8Array.from([...new Uint8Array(10), 0xff, 0xff, ...bytes])
    : bytes
}

// biome-ignore format: the columns are the point
test.each([
  ['a browser uses its own address',           'sentry.javascript.react/10.1.0',  '{}',                                    true],
  ['so does a phone',                          'sentry.cocoa/8.0.0',              '{}',                                    true],
  ['so does an unnamed client',                '',                                '{}',                                    true],
  ['a Java SDK may run on Android',            'sentry.java.android/8.0.0',       '{}',                                    true],
  ['a server does not',                        'sentry.javascript.node/10.78.0',  '{"user":{"id":"1"}}',                   false],
  ['a server with {{auto}} does',              'sentry.python/2.64.0',            '{"user":{"ip_address":"{{auto}}"}}',    true],
  ['a large event is not searched',            'sentry.python/2.64.0',            ' '.repeat(5000),                        true],
  ['a name with the same prefix is another',   'sentry.golang-clone/1',           '{}',                                    true],
] as const)('%s', (_name, client, text, want) => {
  expect(mayMeanAddress(client, Buffer.from(text))).toBe(want)
})
