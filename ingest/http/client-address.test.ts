import { expect, test } from 'vitest'
import { clientAddress, parseAddress, trustedProxies } from './client-address.ts'

const v4 = Uint8Array.from([192, 0, 2, 7])
const proxies = trustedProxies(['10.0.0.1', '192.0.2.0/24', '2001:db8::/32'])
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

// biome-ignore format: the columns are the point
test.each([
  ['IPv4              ', '192.0.2.7',             'c0000207'],
  ['IPv4 with port    ', '192.0.2.7:8080',        'c0000207'],
  ['IPv6              ', '2001:db8::1',           '20010db8000000000000000000000001'],
  ['IPv6 in full      ', '1:2:3:4:5:6:7:8',       '00010002000300040005000600070008'],
  ['IPv6 with port    ', '[::1]:80',              '00000000000000000000000000000001'],
  ['IPv6 with zone    ', 'fe80::1%eth0',          'fe800000000000000000000000000001'],
  ['IPv4 inside IPv6  ', '::ffff:192.0.2.7',      '00000000000000000000ffffc0000207'],
  ['everything zero   ', '::',                    '0'.repeat(32)],
  ['a name            ', 'localhost',             undefined],
  ['nothing           ', '',                      undefined],
  ['a number too high ', '256.1.1.1',             undefined],
  ['two gaps          ', '1::2::3',               undefined],
] as const)('an address is read from text: %s', (_name, text, want) => {
  expect(hex(parseAddress(text))).toBe(want)
})

// biome-ignore format: the columns are the point
test.each([
  ['a trusted proxy names its client  ', v4,                         '198.51.100.1, 10.0.0.1', 'c6336401'],
  ['no header                         ', v4,                         '',                       'c0000207'],
  ['a header that is no address       ', v4,                         'unknown',                'c0000207'],
  ['a stranger is not believed        ', Uint8Array.from([9, 9, 9, 9]), '198.51.100.1',        '09090909'],
  ['a proxy on a dual-stack socket    ', parseAddress('::ffff:10.0.0.1')!, '198.51.100.1',     'c6336401'],
  ['a proxy in an IPv6 network        ', parseAddress('2001:db8:1::5')!, '198.51.100.1',       'c6336401'],
] as const)('the client is who the peer may say it is: %s', (_name, peer, header, want) => {
  expect(hex(clientAddress(peer, header, proxies))).toBe(want)
})

test('a setting that is no address is refused with its text', () => {
  expect(() => trustedProxies(['10.0.0.0/8', 'proxy.local'])).toThrow(/proxy\.local/)
})
